import Foundation
import Testing

/// The server as a service of the system.
@Suite(.serialized) struct `A server under a service manager` {
    private static let listener = """
        import socket, sys
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.bind(sys.argv[1])
        print("bound", flush=True)
        while True: print(s.recv(4096).decode().replace("\\n", " "), flush=True)
        """

    @Test func `says when it is ready, that it lives, and when it stops`() throws {
        let directory = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "notify").path
        let listener = Process()
        listener.executableURL = URL(filePath: "/usr/bin/env")
        listener.arguments = ["python3", "-c", Self.listener, path]
        let output = Pipe()
        listener.standardOutput = output
        try listener.run()
        // Children of a test inherit blocked signals.
        defer { kill(listener.processIdentifier, SIGKILL) }
        var text = ""
        func read(until wanted: String) -> Bool {
            while !text.contains(wanted) {
                let piece = output.fileHandleForReading.availableData
                if piece.isEmpty { return false }
                text += String(decoding: piece, as: UTF8.self)
            }
            return true
        }
        #expect(read(until: "bound"))
        let server = try LiveProgram(environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"])
        #expect(read(until: "READY=1 STATUS=listens on \(server.url)"))
        #expect(read(until: "WATCHDOG=1\nWATCHDOG=1\n"))
        #expect(!text.contains("STOPPING"))
        #expect(server.stop() == 0)
        #expect(read(until: "STOPPING=1"))
    }

    @Test func `takes its settings from a file, which can be checked before`() throws {
        let directory = LiveServer.temporaryDirectory()
        let file = directory.appending(path: "jobserver.conf")
        try Data("log-level = error\ndrain-timeout = 5s\n".utf8).write(to: file)
        let server = try LiveServer(["--config", file.path], directory: directory)
        #expect(server.log == "")
        let checked = try LiveServer.command(["config", "check", file.path])
        #expect(checked.code == 0)
        #expect(checked.output.contains("drain-timeout = 5s    # \(file.path):2\n"))
        try Data("drain-timeout = soon\n".utf8).write(to: file)
        let wrong = try LiveServer.command(["config", "check", "--config", file.path])
        #expect(wrong.code == 3)
        #expect(wrong.errors.hasPrefix("\(file.path):1: drain-timeout = soon: expected a time"))
        #expect(try LiveServer.command(["serve", "--config", "/no/such/file"]).code == 2)
        let open = try LiveServer.command(["config", "check", "--host", "0.0.0.0"])
        #expect(open.code == 3)
        #expect(open.errors.contains("token-file"))
    }
}
