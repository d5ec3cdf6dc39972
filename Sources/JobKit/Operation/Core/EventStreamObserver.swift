/// Hands the events of one operation to a stream.
final class EventStreamObserver: AOperationObserver {
    private let continuation: AsyncStream<AOperationEvent>.Continuation

    init(_ continuation: AsyncStream<AOperationEvent>.Continuation) { self.continuation = continuation }

    func operation(_ operation: AOperationInfo, did event: AOperationEvent) {
        continuation.yield(event)
        if case .finished = event.kind { continuation.finish() }
    }
}
