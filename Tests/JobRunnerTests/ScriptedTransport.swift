import HTTPMessage
import JobKit
import Synchronization

/// Answers calls from a script and keeps a list of what was called.
final class ScriptedTransport: Transport {
    typealias Script = @Sendable (HTTPCall, Int) async throws(HTTPCallFailure) -> HTTPCallAnswer

    private struct Log {
        var calls: [HTTPCall] = []
    }

    private let log = Mutex(Log())
    private let script: Script

    /// - Parameter script: receives the call and the number of earlier calls of the same URL.
    init(_ script: @escaping Script) { self.script = script }

    var calls: [HTTPCall] { log.withLock { $0.calls } }

    func count(of url: String) -> Int { calls.count { $0.url == url } }

    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        let before = log.withLock { log in
            defer { log.calls.append(call) }
            return log.calls.count { $0.url == call.url }
        }
        return try await script(call, before)
    }

    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {
        throw HTTPCallFailure(
            code: "connect.refused", detail: "There is no listener at \(probe.url).", phase: .connect,
            delivery: .notSent)
    }
}

extension HTTPCallAnswer {
    /// An answer with a JSON body.
    static func json(_ status: Int, _ text: String, fields: [(name: String, value: String)] = [])
        -> HTTPCallAnswer
    {
        HTTPCallAnswer(
            status: status, fields: [("Content-Type", "application/json")] + fields, body: Array(text.utf8),
            exchange: HTTPCallExchange())
    }
}
