import Foundation
import Testing

/// A server in Python that prints its port first, until it is released.
final class PythonServer {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    let port: Int
    private let process = Process()

    init(_ arguments: [String]) throws {
        let output = Pipe()
        process.executableURL = Self.root.appending(path: ".build/venv/bin/python")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = ""
        while !line.hasSuffix("\n") {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { break }
            line += String(decoding: piece, as: UTF8.self)
        }
        port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func url(_ path: String = "") -> String { "http://127.0.0.1:\(port)\(path)" }
}
