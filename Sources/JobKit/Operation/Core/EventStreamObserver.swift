/// Hands the events of one operation to a stream.
final class EventStreamObserver: OperationObserver {
    private let continuation: AsyncStream<OperationEvent>.Continuation

    init(_ continuation: AsyncStream<OperationEvent>.Continuation) { self.continuation = continuation }

    func operation(_ operation: OperationInfo, did event: OperationEvent) {
        continuation.yield(event)
        if case .finished = event.kind { continuation.finish() }
    }
}
