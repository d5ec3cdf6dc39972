/// One thing to run on a loop's thread.
enum LoopWork: Sendable {
    /// A piece of an asynchronous task or actor.
    case job(UnownedJob)
    /// A plain function.
    case call(@Sendable () -> Void)
    /// What stood here was taken out of the queue.
    case taken
}

/// A first-in first-out queue that one thread owns. It reuses its storage.
struct LoopWorkQueue {
    private var items: [LoopWork] = []
    private var head = 0

    /// Whether nothing waits.
    var isEmpty: Bool { head == items.count }

    /// Adds one item at the end.
    mutating func append(_ work: LoopWork) {
        items.append(work)
    }

    /// Moves all of `other` to the end and leaves `other` empty, with storage to fill again.
    mutating func takeAll(of other: inout [LoopWork]) {
        if isEmpty {
            items.removeAll(keepingCapacity: true)
            head = 0
            swap(&items, &other)
        } else {
            items.append(contentsOf: other)
            other.removeAll(keepingCapacity: true)
        }
    }

    /// Takes the oldest item, or nil when nothing waits.
    mutating func popFirst() -> LoopWork? {
        guard head < items.count else {
            items.removeAll(keepingCapacity: true)
            head = 0
            return nil
        }
        var work = LoopWork.taken
        swap(&work, &items[head])
        head += 1
        // The places are given up in bulk, so that a queue that is never quite empty does not grow for ever.
        if head == LoopWorkQueue.compactionThreshold {
            items.removeFirst(head)
            head = 0
        }
        return work
    }

    private static let compactionThreshold = 4096
}
