internal import Synchronization

// DESIGN
// The threads that do the work append spans, and the exporter takes them. Nothing waits: a full buffer costs one atomic
// read, so that a collector that hangs costs less than one that answers.

/// Finished spans that wait for export. A span that finds it full is dropped and counted.
package final class SpanBuffer: Sendable {
    /// The maximum number of spans.
    package let capacity: Int
    private let batch: Int
    private let spans = Mutex<[TraceSpan]>([])
    private let count = Atomic<Int>(0)
    private let droppedCount = Atomic<Int>(0)
    private let wake = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Parameter batch: the number of spans at which the exporter is woken.
    package init(capacity: Int, batch: Int) {
        self.capacity = capacity
        self.batch = batch
    }

    /// Calls `body` whenever a batch has come together. On any thread; must return at once.
    package func observe(_ body: @escaping @Sendable () -> Void) { wake.withLock { $0 = body } }

    /// Adds a span, which is made only when there is room.
    package func add(_ span: () -> TraceSpan) {
        guard count.load(ordering: .relaxed) < capacity else {
            droppedCount.wrappingAdd(1, ordering: .relaxed)
            return
        }
        let span = span()
        let waiting = spans.withLock { spans in
            spans.append(span)
            count.store(spans.count, ordering: .relaxed)
            return spans.count
        }
        if waiting == batch { wake.withLock { $0 }?() }
    }

    /// Takes at most `limit` of the oldest spans.
    package func take(_ limit: Int) -> [TraceSpan] {
        spans.withLock { spans in
            let taken = Array(spans.prefix(limit))
            spans.removeFirst(taken.count)
            count.store(spans.count, ordering: .relaxed)
            return taken
        }
    }

    /// The number of spans that wait.
    package var waiting: Int { count.load(ordering: .relaxed) }

    /// The number of spans that found it full.
    package var dropped: Int { droppedCount.load(ordering: .relaxed) }
}
