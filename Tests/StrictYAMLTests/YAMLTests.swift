import StrictJSON
import StrictYAML
import Testing

@Suite struct `A YAML text` {
    private func value(_ text: String) throws -> JSONValue {
        let documents = try YAMLDocument.all(in: Array(text.utf8), limits: .init(bytesMax: 1 << 20))
        return try #require(documents.first).value
    }

    private func fault(_ text: String, bytesMax: Int = 1 << 20) -> YAMLFault? {
        do throws(YAMLFault) {
            _ = try YAMLDocument.all(in: Array(text.utf8), limits: .init(bytesMax: bytesMax))
            return nil
        } catch { return error }
    }

    @Test func `becomes the JSON of the same structure`() throws {
        let text = """
            # a comment
            type: group
            operations:
              - {name: a, type: delay, for: 1s}
              - name: "b"
                body: |
                  two
                  lines
                note: >-
                  folded
                  text
            """
        let expected = try JSONParser.parse(
            text: #"""
                {"type":"group","operations":[{"name":"a","type":"delay","for":"1s"},
                {"name":"b","body":"two\nlines\n","note":"folded text"}]}
                """#)
        #expect(try value(text) == expected)
    }

    @Test(arguments: [
        ("1", "1"), ("-7", "-7"), ("+7", "7"), ("1.50", "1.50"), (".5", "0.5"), ("-.5e3", "-0.5e3"),
        ("1.", "1.0"),
        ("6e2", "6e2"), ("0x1F", "31"), ("0o17", "15"), ("0", "0"), ("true", "true"), ("FALSE", "false"),
        ("null", "null"), ("~", "null"), ("", "null"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
    ])
    func `has the numbers and words of the core schema`(written: String, json: String) throws {
        #expect(try value("a: \(written)\n").object?["a"] == JSONParser.parse(text: json))
    }

    @Test(arguments: [
        "yes", "no", "on", "off", "y", "tRUE", "12:30", "2026-11-29", "1_000", "1s", "0b1", "-0x1F", "1e",
        "1.2.3",
        "1,5", "0x", "e3", "NULLs", "0xG",
    ])
    func `takes everything else for a text`(written: String) throws {
        #expect(try value("a: \(written)\n").object?["a"]?.string == written)
    }

    @Test(arguments: ["'1'", "\"true\"", "\"~\"", "'.inf'", "'012'"])
    func `keeps what is between quotation marks a text`(written: String) throws {
        #expect(try value("a: \(written)\n").object?["a"]?.string == String(written.dropFirst().dropLast()))
    }

    @Test func `names its members by the text as it stands`() throws {
        let object = try value("on: 1\n503: 2\nno: 3\n\"<<\": 4\n").object
        #expect(object?.members.map(\.name) == ["on", "503", "no", "<<"])
    }

    @Test(arguments: [
        ("a: 1\nb: 2\na: 3\n", 3, "in line 1"),
        ("b: &b {x: 1}\na:\n  <<: *b\n", 3, "Merge keys"),
        ("a: 1\nb: !!int 1\n", 2, "leave out !!int"),
        ("a: !secret x\n", 1, "leave out !secret"),
        ("a: *b\n", 1, "*b"),
        ("a: &a\n  b: *a\n", 2, "*a"),
        ("a: .inf\n", 1, ".inf"),
        ("a: -.INF\n", 1, "-.INF"),
        ("a:\n - .nan\n", 2, ".nan"),
        ("a: 0644\n", 1, "0644"),
        ("? [1, 2]\n: 3\n", 1, "A name must be a text"),
        ("%YAML 1.1\n---\na: 1\n", 1, "YAML 1.2"),
        ("a: 1\nb: \"x\u{2028}y\"\n", 2, "\\u2028"),
        ("a: [1, 2\nb: 3\n", 2, ""),
        ("a:\n\t- 1\n", 2, ""),
    ])
    func `is refused with the line of what it may not have`(text: String, line: Int, part: String) {
        let fault = fault(text)
        #expect(fault?.line == line)
        #expect(part.isEmpty || fault?.detail.contains(part) == true, "\(fault?.detail ?? "")")
    }

    @Test func `repeats values by aliases`() throws {
        let object = try value("a: &x [1, {b: c}]\nd: *x\n").object
        #expect(object?["d"] == object?["a"])
        #expect(object?["d"]?.array?.count == 2)
    }

    @Test func `does not grow beyond its limit by aliases`() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let names = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(names)]\n"
        }
        let found = fault(text)
        #expect(found?.detail.contains("aliases") == true)
        #expect((2...10).contains(found?.line ?? 0))
        let long = "a: &a \"\(String(repeating: "x", count: 2_000))\"\nb: [*a, *a, *a]\n"
        #expect(fault(long, bytesMax: 4_000)?.line == 2)
    }

    @Test func `is not nested without end`() {
        for count in [65, 1 << 20] {
            #expect(fault(String(repeating: "[", count: count))?.detail.contains("64 deep") == true)
        }
        #expect(fault(String(repeating: "[", count: 64) + String(repeating: "]", count: 64)) == nil)
    }

    @Test func `is refused in an encoding other than UTF-8`() {
        for bytes: [UInt8] in [[0xFF, 0xFE, 0x61, 0x00], [0x61, 0x3A, 0x20, 0xFF]] {
            do throws(YAMLFault) {
                _ = try YAMLDocument.all(in: bytes, limits: .init(bytesMax: 100))
                Issue.record("accepted")
            } catch { #expect(error.detail.contains("UTF-8")) }
        }
    }

    @Test func `knows the line of each value`() throws {
        let text = "# head\ntype: group\noperations:\n  - name: a/b\n    x:\n      - 1\n      - y: 2\n"
        let document = try #require(
            try YAMLDocument.all(in: Array(text.utf8), limits: .init(bytesMax: 1_000)).first)
        #expect(document.line(of: "/type") == 2)
        #expect(document.line(of: "/operations") == 3)
        #expect(document.line(of: "/operations/0/name") == 4)
        #expect(document.line(of: "/operations/0/x/1/y") == 7)
        #expect(document.line(of: "/operations/0/x/9") == 5)
    }

    @Test func `may have several documents`() throws {
        let documents = try YAMLDocument.all(
            in: Array("---\na: 1\n---\n---\nb: 2\n...\n".utf8), limits: .init(bytesMax: 1_000))
        #expect(documents.map(\.value.object?.members.first?.name) == ["a", "b"])
        #expect(documents.map { $0.line(of: "") } == [2, 5])
    }
}
