import Foundation
import StrictJSON

/// Planned times by the programs in `Oracle/reference.py`: by brute force, and by the PyPI package cronsim.
enum ReferenceTimes {
    /// A failure of the reference.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    /// The Python that has the tools of the tests.
    private static let python = folder.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".build/venv/bin/python")

    /// The answer to each question, in order.
    static func answers(to questions: [JSONValue]) throws -> [JSONValue] {
        let file = FileManager.default.temporaryDirectory.appending(path: "times-\(UUID().uuidString)")
        try Data(questions.flatMap { $0.encoded() + [UInt8(ascii: "\n")] }).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = python
        process.arguments = [
            folder.appending(path: "Oracle/reference.py").path(percentEncoded: false),
            file.path(percentEncoded: false),
        ]
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        do { try process.run() } catch {
            throw Failure(description: "There is no .build/venv; make it with: .ci/install test")
        }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: String(decoding: complaint.suffix(2_000), as: UTF8.self))
        }
        return try data.split(separator: UInt8(ascii: "\n")).map { try JSONParser.parse(Array($0)) }
    }

    /// The moments in each answer.
    static func times(of questions: [JSONValue]) throws -> [[Int64]] {
        try answers(to: questions).map { ($0.array ?? []).compactMap { $0.number?.int64 } }
    }
}
