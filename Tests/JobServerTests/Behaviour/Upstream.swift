import FaultyHTTP
import Foundation
import Synchronization

/// The upstream of a test's calls: an HTTP server whose paths answer by script, and which counts calls.
final class Upstream: Sendable {
    /// The reply to one call of a path.
    enum Reply: Sendable {
        /// A complete answer with a JSON body.
        case json(Int, String, fields: [String] = [])
        /// An answer after a while.
        indirect case slow(milliseconds: Int, Reply)
        /// An answer when the test says so, with `release`.
        indirect case held(Reply)
        /// The connection is closed without an answer.
        case dropped
        /// No answer at all, until the upstream is released.
        case stalled

        /// An answer with an empty object.
        static func status(_ status: Int, fields: [String] = []) -> Reply {
            .json(status, "{}", fields: fields)
        }
    }

    /// One received call.
    struct Call: Sendable {
        let text: String
        let began: ContinuousClock.Instant
        var ended: ContinuousClock.Instant?
    }

    private struct Path {
        var replies: [Reply]
        var calls: [Call] = []
        var isReleased = false
        var now = 0
        var mostAtOnce = 0
    }

    private let paths: Changing<[String: Path]>
    private let server: FaultServer

    init() {
        let paths = Changing<[String: Path]>([:])
        self.paths = paths
        server = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                guard Self.answer(request, on: connection, paths) else { return }
            }
        }
    }

    func stop() { server.stop() }

    /// Makes a path answer its calls with `replies`, one each; the last one repeats. Returns its URL.
    func script(_ path: String, _ replies: Reply...) -> String {
        paths.change { $0[path] = Path(replies: replies) }
        return server.url(path)
    }

    /// The calls of a path so far.
    func calls(of path: String) -> [Call] { paths.value[path]?.calls ?? [] }

    /// The number of calls of a path.
    func count(of path: String) -> Int { calls(of: path).count }

    /// The maximum number of calls of a path in flight at the same time.
    func mostAtOnce(of path: String) -> Int { paths.value[path]?.mostAtOnce ?? 0 }

    /// Releases the held calls of a path, and future ones.
    func release(_ path: String) { paths.change { $0[path]?.isReleased = true } }

    /// Waits until a path had this many calls.
    func waitForCalls(of path: String, _ count: Int) async {
        while true {
            let change = paths.nextChange
            if self.count(of: path) >= count { return }
            await change.wait()
        }
    }

    /// Answers one request; false when the connection is over.
    private static func answer(
        _ request: String, on connection: FaultConnection, _ paths: Changing<[String: Path]>
    ) -> Bool {
        let words = request.prefix(2000).split(separator: " ", maxSplits: 2)
        let target = words.count > 1 ? String(words[1]) : "/"
        let path = target.split(separator: "?").first.map(String.init) ?? target
        let taken = paths.change { paths -> (reply: Reply, number: Int)? in
            guard var entry = paths[path], let last = entry.replies.last else { return nil }
            let number = entry.calls.count
            entry.calls.append(Call(text: request, began: .now))
            entry.now += 1
            entry.mostAtOnce = max(entry.mostAtOnce, entry.now)
            paths[path] = entry
            return (number < entry.replies.count ? entry.replies[number] : last, number)
        }
        guard let taken else {
            connection.answer("{}", status: "404 Not Found")
            return true
        }
        let goesOn = give(taken.reply, on: connection) { !(paths.value[path]?.isReleased ?? true) }
        paths.change { paths in
            paths[path]?.now -= 1
            paths[path]?.calls[taken.number].ended = .now
        }
        return goesOn
    }

    private static func give(_ reply: Reply, on connection: FaultConnection, isHeld: () -> Bool) -> Bool {
        switch reply {
        case .json(let status, let body, let fields):
            let lines = (["Content-Type: application/json"] + fields).map { $0 + "\r\n" }.joined()
            connection.answer(body, status: "\(status) Scripted", fields: lines)
            return true
        case .slow(let milliseconds, let reply):
            connection.pause(milliseconds: milliseconds)
            return give(reply, on: connection, isHeld: isHeld)
        case .held(let reply):
            while isHeld() { connection.pause(milliseconds: 2) }
            return give(reply, on: connection, isHeld: isHeld)
        case .dropped:
            return false
        case .stalled:
            connection.waitForClose()
            return false
        }
    }
}

/// A value that notifies of changes.
private final class Changing<Value: Sendable>: Sendable {
    /// One change to come.
    final class Change: Sendable {
        private let state = Mutex((isDone: false, waiters: [CheckedContinuation<Void, Never>]()))

        func wait() async {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if !state.isDone { state.waiters.append(continuation) }
                    return state.isDone
                }
                if isDone { continuation.resume() }
            }
        }

        func happen() {
            let waiters = state.withLock { state in
                state.isDone = true
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    private let state: Mutex<(value: Value, next: Change)>

    init(_ value: Value) { state = Mutex((value, Change())) }

    var value: Value { state.withLock { $0.value } }
    var nextChange: Change { state.withLock { $0.next } }

    @discardableResult
    func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        let (result, change) = state.withLock { state in
            let result = body(&state.value)
            defer { state.next = Change() }
            return (result, state.next)
        }
        change.happen()
        return result
    }
}
