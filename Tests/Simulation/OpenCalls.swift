import JobStore

/// A call in flight.
// Safe because everything of a simulation happens on one thread.
final class OpenCall: @unchecked Sendable {
    let operation: OperationLedger
    /// The fence of the claim under which it was made.
    let fence: Int64
    /// Whether the server that made it has its lease.
    let hasLease: () -> Bool

    init(operation: OperationLedger, fence: Int64, hasLease: @escaping () -> Bool) {
        self.operation = operation
        self.fence = fence
        self.hasLease = hasLease
    }

    /// Whether it counts: a call that was under way when its server lost its lease may go on beside others.
    var counts: Bool { hasLease() }
}

/// The calls in flight of all servers.
// Safe because everything of a simulation happens on one thread.
final class OpenCalls: @unchecked Sendable {
    private(set) var all: [OpenCall] = []

    func add(_ call: OpenCall) { all.append(call) }

    func remove(_ call: OpenCall) { all.removeAll { $0 === call } }

    func isInFlight(_ operation: OperationLedger) -> Bool {
        all.contains { $0.operation === operation && $0.counts }
    }

    /// Another operation with a call in flight that needs this exclusive key.
    func holder(of key: String, besides owner: String) -> String? {
        for call in all {
            let other = call.operation.keys.first { $0.key == key && $0.owner != owner }
            if let other, call.counts { return other.owner }
        }
        return nil
    }
}
