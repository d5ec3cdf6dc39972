import Foundation

/// The verdict of Python's `json` module about a document.
enum OracleVerdict: Equatable {
    /// Accepted; the tree written as JSON, with `#` before the text of numbers and `$` before strings.
    case accepted([UInt8])
    /// Not JSON for Python either.
    case refused
    /// Accepted by Python, refused by us on purpose: repeated names, NaN and infinities, lone surrogates.
    case lenient(String)
    /// Too deep for Python.
    case tooDeep
}

/// Runs Python once over many documents.
enum PythonOracle {
    /// Reads one document in hexadecimal from each line and prints one verdict a line.
    private static let script = """
        import json, sys

        class Lenient(Exception):
            pass

        def members(pairs):
            names = [name for name, _ in pairs]
            if len(set(names)) != len(names):
                raise Lenient("duplicate")
            return {"$" + name: value for name, value in pairs}

        def constant(text):
            raise Lenient("constant")

        class Number(str):
            pass

        def verdict(data):
            try:
                tree = json.loads(
                    data.decode("utf-8"), object_pairs_hook=members, parse_constant=constant,
                    parse_int=Number, parse_float=Number)
                text = json.dumps(mark(tree), ensure_ascii=False, separators=(",", ":"))
                return "accepted " + text.encode("utf-8").hex()
            except Lenient as reason:
                return "lenient " + str(reason)
            except UnicodeEncodeError:
                return "lenient surrogate"
            except RecursionError:
                return "deep"
            except ValueError:
                return "refused"

        def mark(tree):
            if isinstance(tree, Number):
                return "#" + tree
            if isinstance(tree, str):
                return "$" + tree
            if isinstance(tree, list):
                return [mark(item) for item in tree]
            if isinstance(tree, dict):
                return {name: mark(item) for name, item in tree.items()}
            return tree

        for line in open(sys.argv[1]):
            print(verdict(bytes.fromhex(line.strip())))
        """

    static let isAvailable = (try? run("print('ready')", input: "")) == "ready\n"

    static func verdicts(on documents: [[UInt8]]) throws -> [OracleVerdict] {
        let input = documents.map { hexadecimal($0) + "\n" }.joined()
        return try run(script, input: input).split(separator: "\n").map { line in
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            switch words[0] {
            case "accepted": return .accepted(bytes(words[1]))
            case "lenient": return .lenient(String(words[1]))
            case "deep": return .tooDeep
            default: return .refused
            }
        }
    }

    /// Runs a script whose first argument is a file with `input`, and returns what it prints.
    static func run(_ script: String, input: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "strict-json-\(UUID().uuidString)")
        try Data(input.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let python = Process()
        python.executableURL = URL(filePath: "/usr/bin/env")
        python.arguments = ["python3", "-c", script, file.path(percentEncoded: false)]
        let output = Pipe()
        python.standardOutput = output
        python.standardError = FileHandle.nullDevice
        try python.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        python.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func bytes(_ hexadecimal: Substring) -> [UInt8] {
        let digits = hexadecimal.utf8.map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
