import Synchronization

/// Counts requests of operations that will go, and tells of each caller once.
final class DeprecatedUses: Sendable {
    private struct State {
        var count = 0
        /// The callers that were told of, each with the operation.
        var known: Set<[UInt8]> = []
    }

    private let state = Mutex(State())

    /// Further callers are counted, and not told of.
    private static let knownMax = 1_000

    /// The requests since the start of the server.
    var count: Int { state.withLock { $0.count } }

    /// Counts a request; true for the first one of an operation by a caller.
    func add(_ operation: String, by caller: String) -> Bool {
        state.withLock { state in
            state.count += 1
            guard state.known.count < Self.knownMax else { return false }
            return state.known.insert(Array("\(operation) \(caller)".utf8)).inserted
        }
    }
}
