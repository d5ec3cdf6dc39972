/// Timers as a value, in the order of their ends. One that is removed leaves an entry, until that is the first or most
/// of the entries are such rest.
struct TimerBoard<Waker> {
    private struct Entry: Comparable {
        let end: Duration
        let ticket: UInt64

        static func < (left: Entry, right: Entry) -> Bool {
            (left.end, left.ticket) < (right.end, right.ticket)
        }
    }

    private var heap = MinHeap<Entry>()
    private var wakers: [UInt64: Waker] = [:]
    /// The number of entries that were looked at, for tests.
    var steps: Int { heap.steps }

    /// The number of timers.
    var count: Int { wakers.count }
    /// The number of entries, rest included, for tests.
    var entryCount: Int { heap.count }

    /// The end of the first timer; nil without one.
    mutating func earliest() -> Duration? {
        while let first = heap.first, wakers[first.ticket] == nil { heap.removeFirst() }
        return heap.first?.end
    }

    /// Adds a timer. Its ticket is that of no other one, and of none that was removed.
    mutating func add(_ waker: Waker, _ ticket: UInt64, until end: Duration) {
        wakers[ticket] = waker
        heap.insert(Entry(end: end, ticket: ticket))
    }

    /// - Returns: its waker; nil when there is no such timer any more.
    mutating func remove(_ ticket: UInt64) -> Waker? {
        guard let waker = wakers.removeValue(forKey: ticket) else { return nil }
        if heap.count > 2 * wakers.count + 64 {
            let wakers = wakers
            heap.filter { wakers[$0.ticket] != nil }
        }
        return waker
    }

    /// Takes the first timer, if it has ended by then.
    mutating func takeFirst(by now: Duration) -> (ticket: UInt64, waker: Waker)? {
        guard let end = earliest(), end <= now, let first = heap.first,
            let waker = wakers.removeValue(forKey: first.ticket)
        else { return nil }
        heap.removeFirst()
        return (first.ticket, waker)
    }
}
