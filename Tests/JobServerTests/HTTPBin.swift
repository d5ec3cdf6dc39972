import Foundation
import Testing

/// httpbin on a free port, until it is released.
final class HTTPBin {
    let port: Int
    private let process = Process()

    private static let program = """
        from httpbin import app
        from werkzeug.serving import make_server
        server = make_server('127.0.0.1', 0, app, threaded=True)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let output = Pipe()
        process.executableURL = root.appending(path: ".build/venv/bin/python")
        process.arguments = ["-c", Self.program]
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

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
}
