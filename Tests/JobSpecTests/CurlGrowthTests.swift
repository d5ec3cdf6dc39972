import Glibc
import JobKit
import StrictJSON
import Testing

@testable import JobSpec

/// Work that may not grow faster than what it is done on.
enum Growth {
    /// The ratio of the processor times for twice the size and the size; measured again when it is large, since other
    /// programs disturb a measurement, and the least counts.
    static func ofDoubling(_ size: Int, _ work: (Int) -> Void) -> Double {
        var least = ratio(size, work)
        for _ in 0..<3 where least > 2.5 { least = min(least, ratio(size, work)) }
        return least
    }

    private static func ratio(_ size: Int, _ work: (Int) -> Void) -> Double {
        let small = (0..<3).map { _ in seconds { work(size) } }.min() ?? 0
        let large = (0..<3).map { _ in seconds { work(size * 2) } }.min() ?? 0
        return large / max(small, 1e-4)
    }

    /// The time of this thread alone, so that a busy machine changes little.
    private static func seconds(_ work: () -> Void) -> Double {
        let begin = now()
        work()
        return now() - begin
    }

    private static func now() -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

@Suite(.serialized) struct `The work for a curl command line` {
    private static func read(_ line: String) -> [SpecProblem] {
        do throws(SpecProblems) {
            _ = try CurlScript(Array(line.utf8))
            return []
        } catch { return error.list }
    }

    /// Options that are repeated, and values that become long.
    static let repeated: [String] = [
        "-d a=b ", "--data-raw @x ", "--data-binary x ", "--data-urlencode a=b ", "--json 1 ", "-F a=b ",
        "--form-string a=b ", "-H 'X-A: b' ", "-H 'X-A:' ", "-H 'Host: b' ", "-H 'TE: b' ", "-b a=b ",
        "-A b ",
        "-e b ", "-u a:b ", "--oauth2-bearer b ", "-G -d a=b ", "--url-query a=b ", "-x a ", "-U a:b ",
        "--noproxy a ", "-m 1 ", "-o a ", "-O ", "-s ", "--no-silent ", "-X A ", "--wrong ", "-sS@ ",
        "--next ",
        "-K a ", "a.example ", "--url a.example ", "-d @x ", "-H x ", "-L ", "--silent=1 ",
    ]

    @Test(arguments: repeated) func `grows with the number of options`(option: String) {
        let growth = Growth.ofDoubling(1_000) { count in
            _ = Self.read("curl http://b.example " + String(repeating: option, count: count))
        }
        #expect(growth < 2.6, "\(option): \(growth)")
    }

    static let long: [(String, String)] = [
        ("-d '", "a"), ("-F 'a=", ";type=b"), ("-F 'a=\"", "\\\""), ("-F 'a=b;type=\"", "a"),
        ("-F 'a=", "; "),
        ("-H 'X-A: ", "a"), ("-H 'X-A: a", " "), ("-b 'a=", ";"), ("--data-urlencode '", "é"),
        ("--json '", "["),
        ("--json '", "{\"$\":"), ("-G -d '", "&"), ("--url-query 'a=", "="), ("'", "/.."), ("'", "/./"),
        ("'", "@"),
        ("'http://", ":"), ("'http://a/?", "#"), ("-g '", "{"), ("'", "["), ("-u '", ":"), ("-", "s"),
        ("--", "s"),
        ("--noproxy '", "a,"), ("$'", "\\ud83d\\ude00"), ("\"", "$(printf "), ("\"", "$A"), ("$'", "\\xe9"),
        ("'", "a\n"), ("", "a;"), ("", "curl a\n"), ("", "`"), ("", "#"), ("\"$(printf '", "\\033"),
        ("", "> "),
    ]

    @Test(arguments: long) func `grows with the length of a value`(begin: String, piece: String) {
        let quote = begin.last.map { "'\"".contains($0) ? String($0) : "'" } ?? ""
        let end = begin.contains("$(printf '") ? "')\"" : quote
        let growth = Growth.ofDoubling(16_000) { bytes in
            let value = String(repeating: piece, count: bytes / piece.utf8.count)
            _ = Self.read("curl http://b.example \(begin)\(value)\(end)")
        }
        #expect(growth < 2.6, "\(begin)\(piece): \(growth)")
    }

    @Test func `ends with a limit that names its remedy`() throws {
        func first(_ line: String) -> String { Self.read(line).first?.detail ?? "" }
        let many = String(repeating: "-d a ", count: ShellReader.wordsMax)
        #expect(first("curl a.example " + many).contains("more than 10000 words"))
        let letters = String(repeating: "s", count: CurlArgument.countMax + 1)
        #expect(first("curl a.example -" + letters).contains("more than 10000 options"))
        let fields = String(repeating: "-H 'X: a' ", count: 65)
        #expect(first("curl a.example " + fields).contains("more than 64 fields"))
        // Several cookies are one field.
        #expect(Self.read("curl a.example " + String(repeating: "-b a=b ", count: 65)) == [])
        let parts = String(repeating: "-F a=b ", count: 257)
        #expect(first("curl a.example " + parts).contains("more than 256 parts"))
        #expect(Self.read("curl a.example " + String(repeating: "-d a ", count: 4_000)) == [])
        #expect(Self.read("curl a.example " + String(repeating: "--wrong ", count: 5_000)).count == 100)
        #expect(Self.read(String(repeating: "curl -k\n", count: 1_000)).count == 100)
        #expect(Self.read("curl \"" + String(repeating: "$A", count: 5_000)).count == 100)
    }

    @Test func `lists the first options without effect, and counts the rest`() throws {
        let line = "curl http://a.example -" + String(repeating: "s", count: 250)
        let warnings = try CurlScript(Array(line.utf8)).warnings
        #expect(warnings.count == 101)
        #expect(warnings.last?.detail == "150 more options have no effect.")
    }

    @Test func `grows with the number of values of a line that is written`() {
        let growth = Growth.ofDoubling(500) { count in
            let unknown = UnknownValues()
            _ = try? unknown.text { lookup throws(AOperationError) in
                var text = ""
                for number in 0..<count {
                    let place = JSONPointer(tokens: [String(repeating: "a", count: 120), "\(number)"])
                    text += try lookup(Binding.Reference(operation: "a", at: place)).string ?? ""
                }
                return text
            }
        }
        #expect(growth < 2.6, "\(growth)")
    }
}
