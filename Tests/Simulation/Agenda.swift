/// Future events by time: a binary heap. Events at the same time come in random order.
struct Agenda {
    private struct Entry {
        let time: Int64
        let rank: UInt64
        let action: () -> Void

        static func < (left: Entry, right: Entry) -> Bool {
            (left.time, left.rank) < (right.time, right.rank)
        }
    }

    private var heap: [Entry] = []

    /// The time of the next event; nil when there is none.
    var next: Int64? { heap.first?.time }

    mutating func add(at time: Int64, rank: UInt64, _ action: @escaping () -> Void) {
        heap.append(Entry(time: time, rank: rank, action: action))
        var place = heap.count - 1
        while place > 0 {
            let parent = (place - 1) / 2
            guard heap[place] < heap[parent] else { break }
            heap.swapAt(place, parent)
            place = parent
        }
    }

    /// Takes the first event, if its time has come.
    mutating func takeDue(at now: Int64) -> (() -> Void)? {
        guard let first = heap.first, first.time <= now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return first.action
    }

    private mutating func sink() {
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child] < heap[least]
            {
                least = child
            }
            if least == place { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
