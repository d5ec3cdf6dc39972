import JobStore

/// The latest changes, numbered in the order of their commits.
struct ChangeRing {
    /// The number of changes that are kept. Default 32,768.
    let capacity: Int
    private var changes: [JobChange] = []
    /// The number of the oldest change that is kept.
    private(set) var first: UInt64 = 1
    /// The number of the next change.
    private(set) var next: UInt64 = 1

    init(capacity: Int = 32_768) { self.capacity = capacity }

    mutating func append(_ change: JobChange) {
        var change = change
        // The record of an ended job may be large.
        change.ended = nil
        if changes.count < capacity {
            changes.append(change)
        } else {
            changes[index(of: next)] = change
            first += 1
        }
        next += 1
    }

    /// Drops all changes. Their numbers, and the one after them, are not given out again.
    mutating func reset() {
        changes = []
        next += UInt64(capacity) - (next - 1) % UInt64(capacity)
        first = next
    }

    /// The changes from `number` on; nil when some of them are not kept any more.
    func changes(from number: UInt64) -> [JobChange]? {
        guard number >= first, number <= next else { return nil }
        return (0..<next - number).map { changes[index(of: number + $0)] }
    }

    private func index(of number: UInt64) -> Int { Int((number - 1) % UInt64(capacity)) }
}
