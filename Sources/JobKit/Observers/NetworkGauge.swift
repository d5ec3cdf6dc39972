internal import Synchronization

/// Counts the operations in execution that it observes, such as all that make calls.
///
/// An indicator that is shown while there are any would flicker between two short calls: with a hold time it counts as
/// active for that long after the last one ended.
public final class NetworkGauge: OperationObserver {
    private struct Standing {
        var running: Set<ObjectIdentifier> = []
        var lastEnd: Timestamp?
    }

    private let hold: Duration
    private let standing = Mutex(Standing())

    /// - Parameter hold: the time for which it stays active after the last call; default zero.
    public init(hold: Duration = .zero) { self.hold = hold }

    /// The number of operations in execution.
    public var count: Int { standing.withLock { $0.running.count } }

    /// Whether any is in execution, or was less than the hold time ago.
    public func isActive(at now: Timestamp) -> Bool {
        standing.withLock { standing in
            !standing.running.isEmpty || standing.lastEnd.map { now < $0.advanced(by: hold) } ?? false
        }
    }

    /// Counts.
    public func operation(_ operation: OperationInfo, did event: OperationEvent) {
        standing.withLock { standing in
            switch event.kind {
            case .started: standing.running.insert(operation.id)
            case .finished:
                if standing.running.remove(operation.id) != nil { standing.lastEnd = event.at }
            default: break
            }
        }
    }
}
