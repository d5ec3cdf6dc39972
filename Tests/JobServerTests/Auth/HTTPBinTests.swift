import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// Calls to httpbin, which checks credentials and says what it was sent.
@Suite struct `A call to httpbin` {
    /// httpbin on a free port, until nobody needs it.
    private final class Peer {
        let port = FaultServer.unusedPort()
        private let process = Process()

        init() throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            process.executableURL = root.appending(path: ".build/venv/bin/python")
            process.arguments = [
                "-m", "gunicorn", "--bind", "127.0.0.1:\(port)", "--threads", "4", "httpbin:app",
            ]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            let deadline = Date().addingTimeInterval(20)
            while !isListening, Date() < deadline { usleep(50_000) }
        }

        deinit {
            process.terminate()
            process.waitUntilExit()
        }

        func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

        private var isListening: Bool {
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(descriptor) }
            var isOpen = false
            unsafe FaultServer.withAddress(port: port) { isOpen = unsafe connect(descriptor, $0, $1) == 0 }
            return isOpen
        }
    }

    @Test func `is known by its credentials, and its content arrives as it was meant`() throws {
        let peer = try Peer()
        let server = try LiveServer()
        for (name, value) in [("word", "pässwörd:1"), ("token", "a.b-c_d~e+f/g==")] {
            _ = try server.send("PUT", "/v1/secrets/\(name)", body: #"{"text": "\#(value)"}"#)
        }
        func call(_ path: String, _ more: String) throws -> LiveServer.Answer {
            try server.post(
                "/v1/jobs",
                #"{"type": "network", "request": {"url": "\#(peer.url(path))"\#(more)}, "retry": {"max_attempts": 1}}"#,
                headers: ["Prefer: wait=20"])
        }
        let basic = #", "auth": {"type": "basic", "username": "ada", "password": "#
        let word = "p%C3%A4ssw%C3%B6rd:1"
        let right = try call("/basic-auth/ada/\(word)", basic + #"{"$secret": "word"}}"#)
        #expect(right.at("/result/inline/authenticated") == true, "\(right.json)")
        let wrong = try call("/basic-auth/ada/\(word)", basic + #""other"}"#)
        #expect(wrong.at("/error/upstream/status") == 401)
        let bearer = try call("/bearer", #", "auth": {"type": "bearer", "token": {"$secret": "token"}}"#)
        #expect(bearer.at("/result/inline/authenticated") == true)
        #expect(bearer.at("/result/inline/token") == "***")
        let form = try call(
            "/anything", #", "method": "POST", "form": {"a": "ä&b", "c": {"$secret": "word"}}"#)
        #expect(form.at("/result/inline/form/a") == "ä&b")
        #expect(form.at("/result/inline/form/c") == "***")
        let json = try call(
            "/anything", #", "method": "PUT", "json": {"deep": [1, {"x": {"$secret": "word"}}]}"#)
        #expect(json.at("/result/inline/json/deep/1/x") == "***")
        #expect(json.at("/result/inline/json/deep/0") == 1)
    }
}
