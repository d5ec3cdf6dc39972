internal import StrictJSON
internal import Synchronization

/// The content of one attempt, which is read while it arrives. From any thread.
///
/// The writer says how far it has come; readers read up to there from the same file, at their own pace.
package final class LiveContent: Sendable {
    /// The end of the content.
    package enum Ending: Sendable {
        /// All of it is there.
        case whole
        /// Its attempt ended without the rest.
        case broken
    }

    /// The state at one moment.
    package struct Extent: Sendable {
        /// The number of bytes that can be read.
        package var byteCount = 0
        /// The end; nil while more may come.
        package var ending: Ending?
    }

    private struct State {
        var extent = Extent()
        var waiters: [UInt64: @Sendable () -> Void] = [:]
        var lastWaiter: UInt64 = 0
    }

    /// The code with which a sink ends a call that has all it wants: the origin has done its work.
    package static let enough = "stream.enough"

    /// The number of the attempt, from 1.
    package let attempt: Int
    /// The `Content-Type` of the answer.
    package let contentType: String?
    private let reader: any ArtifactReader
    private let state = Mutex(State())

    /// Content that has just begun.
    /// - Parameter reader: reads the content so far.
    package init(attempt: Int, contentType: String?, _ reader: any ArtifactReader) {
        self.attempt = attempt
        self.contentType = contentType
        self.reader = reader
    }

    package var extent: Extent { state.withLock { $0.extent } }

    /// The bytes of a range within the extent.
    package func bytes(_ range: Range<Int>) throws(ArtifactFailure) -> [UInt8] {
        try reader.localBytes(range)
    }

    /// Notes that `byteCount` bytes can be read.
    package func grow(to byteCount: Int) { change { $0.byteCount = byteCount } }

    /// Notes the end. Later ones change nothing.
    package func end(_ ending: Ending) { change { $0.ending = $0.ending ?? ending } }

    private func change(_ body: (inout Extent) -> Void) {
        let waiters = state.withLock { state in
            body(&state.extent)
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter() }
    }

    /// Calls `then` once, when the content has more than `offset` bytes or has ended: at once, if it has.
    /// - Returns: the number for `abandon`.
    package func wait(beyond offset: Int, then: @escaping @Sendable () -> Void) -> UInt64 {
        let number = state.withLock { state -> UInt64? in
            guard state.extent.byteCount <= offset, state.extent.ending == nil else { return nil }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = then
            return state.lastWaiter
        }
        if number == nil { then() }
        return number ?? 0
    }

    /// Forgets a waiter, which may have been called already.
    package func abandon(_ waiter: UInt64) { state.withLock { _ = $0.waiters.removeValue(forKey: waiter) } }
}

/// The content that is arriving on this server, by operation. From any thread.
///
/// Content that has ended stays until the run of its job is over, so that it is there before its result is; of very
/// many only the last, since each keeps a file open.
package final class LiveBoard: Sendable {
    /// The maximum number of contents that have ended.
    private static let endedMax = 64

    private struct State {
        /// The content that has ended, the oldest first.
        var ended: [(content: LiveContent, owner: ByteKey, key: ByteKey)] = []
        var contents: [ByteKey: [ByteKey: LiveContent]] = [:]
        var waiters: [ByteKey: [UInt64: @Sendable () -> Void]] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The content of an operation's last attempt that had some; nil when none has begun, or its run is over.
    /// - Parameter path: the names below the root.
    package func content(of owner: String, at path: [String]) -> LiveContent? {
        let (owner, key) = (ByteKey(owner), Self.key(path))
        return state.withLock { $0.contents[owner]?[key] }
    }

    /// Shows content, in place of that of an earlier attempt, which ends broken.
    package func begin(_ content: LiveContent, of owner: String, at path: [String]) {
        let (owner, key) = (ByteKey(owner), Self.key(path))
        let (former, waiters) = state.withLock { state in
            let former = state.contents[owner]?[key]
            state.contents[owner, default: [:]][key] = content
            return (former, state.waiters.removeValue(forKey: owner) ?? [:])
        }
        former?.end(.broken)
        for waiter in waiters.values { waiter() }
    }

    /// Ends content, unless it has ended.
    package func end(
        _ content: LiveContent, _ ending: LiveContent.Ending, of owner: String, at path: [String]
    ) {
        guard content.extent.ending == nil else { return }
        content.end(ending)
        let (owner, key) = (ByteKey(owner), Self.key(path))
        state.withLock { state in
            state.ended.append((content, owner, key))
            guard state.ended.count > Self.endedMax else { return }
            let oldest = state.ended.removeFirst()
            guard state.contents[oldest.owner]?[oldest.key] === oldest.content else { return }
            state.contents[oldest.owner]?[oldest.key] = nil
        }
    }

    /// Ends and forgets all content of an owner: its run is over.
    package func forget(_ owner: String) {
        let owner = ByteKey(owner)
        let (contents, waiters) = state.withLock {
            state -> ([ByteKey: LiveContent], [UInt64: @Sendable () -> Void]) in
            if state.contents.isEmpty, state.waiters.isEmpty { return ([:], [:]) }
            state.ended.removeAll { $0.owner == owner }
            return (
                state.contents.removeValue(forKey: owner) ?? [:],
                state.waiters.removeValue(forKey: owner) ?? [:]
            )
        }
        for content in contents.values { content.end(.broken) }
        for waiter in waiters.values { waiter() }
    }

    /// Calls `then` once, when content of an owner begins or its run ends.
    /// - Returns: the number for `abandon`.
    package func wait(for owner: String, then: @escaping @Sendable () -> Void) -> UInt64 {
        let owner = ByteKey(owner)
        return state.withLock { state in
            state.lastWaiter += 1
            state.waiters[owner, default: [:]][state.lastWaiter] = then
            return state.lastWaiter
        }
    }

    /// Forgets a waiter, which may have been called already.
    package func abandon(_ waiter: UInt64, for owner: String) {
        let owner = ByteKey(owner)
        state.withLock { state in
            state.waiters[owner]?[waiter] = nil
            if state.waiters[owner]?.isEmpty == true { state.waiters[owner] = nil }
        }
    }

    private static func key(_ path: [String]) -> ByteKey { ByteKey(path.joined(separator: "/")) }
}
