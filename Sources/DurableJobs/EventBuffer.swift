import Synchronization

/// The events of one stream that are not read yet. It has room for a number of them; then it loses the oldest, and the
/// next one tells how many were lost.
final class EventBuffer: Sendable {
    private struct Content {
        var events: [JobEvent] = []
        /// The position of the oldest one.
        var first = 0
        var missed = 0
        var isOver = false
        var waiter: CheckedContinuation<JobEvent?, Never>?

        var count: Int { events.count - first }

        mutating func removeFirst() -> JobEvent? {
            guard count > 0 else { return nil }
            defer {
                first += 1
                if first > 1_024, first * 2 > events.count {
                    events.removeFirst(first)
                    first = 0
                }
            }
            return events[first]
        }

        /// The oldest one, which tells about those that were lost before it.
        mutating func next() -> JobEvent? {
            guard var event = removeFirst() else { return nil }
            (event.missed, missed) = (missed, 0)
            return event
        }
    }

    private let eventsMax: Int
    private let content = Mutex(Content())

    init(eventsMax: Int) { self.eventsMax = eventsMax }

    /// Adds an event. From any thread.
    func add(_ event: JobEvent) {
        let (waiter, next) = content.withLock {
            content -> (CheckedContinuation<JobEvent?, Never>?, JobEvent?) in
            if content.isOver { return (nil, nil) }
            if content.count == eventsMax {
                _ = content.removeFirst()
                content.missed += 1
            }
            content.events.append(event)
            guard let waiter = content.waiter.take() else { return (nil, nil) }
            return (waiter, content.next())
        }
        waiter?.resume(returning: next)
    }

    /// Has the next event tell that at least one is missing.
    func lose() { content.withLock { $0.missed += 1 } }

    /// Ends the stream after the events that it has.
    func finish() {
        let waiter = content.withLock { content -> CheckedContinuation<JobEvent?, Never>? in
            content.isOver = true
            return content.waiter.take()
        }
        waiter?.resume(returning: nil)
    }

    /// The next event; nil at the end, and when the task is cancelled.
    func next() async -> JobEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isKnown, event) = content.withLock { content -> (Bool, JobEvent?) in
                    if let event = content.next() { return (true, event) }
                    // One reads at a time: a second reader ends at once.
                    if content.isOver || content.waiter != nil || Task.isCancelled { return (true, nil) }
                    content.waiter = continuation
                    return (false, nil)
                }
                if isKnown { continuation.resume(returning: event) }
            }
        } onCancel: {
            finish()
        }
    }
}

/// Ends a stream when nothing refers to it any more.
final class StreamEnd: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }
}
