/// A work item for a loop's thread.
enum LoopWork: Sendable {
    /// A partial task of an actor or a task.
    case job(UnownedJob)
    case call(@Sendable () -> Void)
    /// A partial task of a share of the loop, which waits there for its turn.
    case shared(UnownedJob, LoopShare)
    /// A consumed slot of the queue.
    case taken
}

/// A first-in first-out queue that one thread owns. It reuses its storage.
struct LoopWorkQueue {
    private var items: [LoopWork] = []
    private var head = 0

    var isEmpty: Bool { head == items.count }

    mutating func append(_ work: LoopWork) {
        items.append(work)
    }

    /// Moves all of `other` to the end and leaves `other` empty, with storage to reuse.
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

    /// Removes the oldest item; nil when the queue is empty.
    mutating func popFirst() -> LoopWork? {
        guard head < items.count else {
            items.removeAll(keepingCapacity: true)
            head = 0
            return nil
        }
        var work = LoopWork.taken
        swap(&work, &items[head])
        head += 1
        // Consumed slots are removed in bulk, so that a queue that is never quite empty does not grow forever.
        if head == LoopWorkQueue.compactionThreshold {
            items.removeFirst(head)
            head = 0
        }
        return work
    }

    private static let compactionThreshold = 4096
}
