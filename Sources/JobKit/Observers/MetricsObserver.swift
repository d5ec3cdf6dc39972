internal import Synchronization

/// The destination of the measures of operations.
public protocol OperationMetrics: Sendable {
    /// Takes the measures of an operation that has ended. Must not block.
    func record(_ profile: OperationProfile)
}

/// Measures an operation and all operations that it creates: waiting, execution, attempts and the end.
public final class MetricsObserver: OperationObserver {
    private let metrics: any OperationMetrics
    /// The profiles of unfinished operations.
    private let open = Mutex<[ObjectIdentifier: OperationProfile]>([:])

    /// - Parameter metrics: where the measures go. The profiles have no children: each comes by itself.
    public init(to metrics: any OperationMetrics) { self.metrics = metrics }

    /// Itself: whole trees are measured.
    public func observer(ofChild child: OperationInfo, of parent: OperationInfo) -> (
        any OperationObserver
    )? {
        self
    }

    /// Notes the event, and records the operation at its end.
    public func operation(_ operation: OperationInfo, did event: OperationEvent) {
        let ended = open.withLock { open -> OperationProfile? in
            open[operation.id, default: OperationProfile(name: operation.name, path: operation.path)]
                .note(event)
            guard case .finished = event.kind else { return nil }
            return open.removeValue(forKey: operation.id)
        }
        if let ended { metrics.record(ended) }
    }
}
