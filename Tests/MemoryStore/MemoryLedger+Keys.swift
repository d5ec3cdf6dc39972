import JobKit
import JobStore
import StrictJSON

/// Exclusive keys, and the lines of operations for them, of a store that servers share.
extension MemoryLedger {
    /// An operation in line, with the keys that it waits for.
    struct KeyPlace: Sendable {
        var waiter: KeyWaiter
        var keys: Set<ByteKey>

        func isOperation(_ path: [String], of job: JobID) -> Bool { waiter.job == job && waiter.path == path }
    }

    mutating func enter(_ place: KeyPlace) {
        let index = keyLine.firstIndex { $0.waiter.number > place.waiter.number }
        keyLine.insert(place, at: index ?? keyLine.count)
    }

    func holds(of id: JobID) -> [ExclusiveHold] {
        isShared ? holds.values.filter { $0.job == id }.sorted { $0.key < $1.key } : []
    }

    func standing(of path: [String], in job: JobID, for keys: [String]) -> KeyStanding {
        let own = keyLine.first { $0.isOperation(path, of: job) }
        // Inside of an operation that holds a key it waits under another name.
        let keys = own?.keys ?? Set(keys.map { ByteKey($0) })
        let holders = keys.sorted().compactMap { holds[$0] }
        var standing = KeyStanding(holder: holders.first { $0.job != job || $0.path != path }?.job)
        if let own {
            standing.ahead = keyLine.count {
                $0.waiter.number < own.waiter.number && !$0.keys.isDisjoint(with: keys)
            }
        }
        return standing
    }
}

/// The lines for exclusive keys of a ledger in a transaction.
struct MemoryKeyLines: KeyLineRows {
    let transaction: MemoryTransaction

    private var line: [MemoryLedger.KeyPlace] { transaction.ledger.keyLine }
    private var holds: [ByteKey: ExclusiveHold] { transaction.ledger.holds }

    func lock(_ keys: [String]) {}

    func holders(of keys: [String]) -> [(job: JobID, path: [String])] {
        keys.map { ByteKey($0) }.sorted().compactMap { holds[$0] }.map { ($0.job, $0.path) }
    }

    func take(_ keys: [String], by path: [String], in job: JobID) {
        for key in keys {
            transaction.ledger.holds[ByteKey(key)] = ExclusiveHold(key: key, job: job, path: path)
        }
    }

    func free(_ path: [String], in job: JobID) -> [String] { free { $0.job == job && $0.path == path } }

    func forget(_ job: JobID) -> [String] {
        let held = free { $0.job == job }
        let waited = line.filter { $0.waiter.job == job }.flatMap { $0.keys.sorted() }
        transaction.ledger.keyLine.removeAll { $0.waiter.job == job }
        return held + waited.map(\.text)
    }

    private func free(_ isMeant: (ExclusiveHold) -> Bool) -> [String] {
        let keys = holds.filter { isMeant($0.value) }.keys.sorted()
        for key in keys { transaction.ledger.holds[key] = nil }
        return keys.map(\.text)
    }

    func number(of path: [String], in job: JobID) -> Int64? { place(of: path, in: job)?.waiter.number }

    func keys(of waiter: KeyWaiter) -> [String] { keys(of: place(of: waiter.path, in: waiter.job)) }

    private func place(of path: [String], in job: JobID) -> MemoryLedger.KeyPlace? {
        line.first { $0.isOperation(path, of: job) }
    }

    private func keys(of place: MemoryLedger.KeyPlace?) -> [String] {
        (place?.keys ?? []).sorted().map(\.text)
    }

    func waiters(for keys: [String]) -> [KeyWaiter] {
        let keys = Set(keys.map { ByteKey($0) })
        return line.filter { !$0.keys.isDisjoint(with: keys) }.map(\.waiter)
    }

    func firstWaiting(around path: [String], in job: JobID) -> Int64? {
        let held = holds.filter { $1.job == job && path.count > $1.path.count && path.starts(with: $1.path) }
        return line.first { place in held.keys.contains { place.keys.contains($0) } }?.waiter.number
    }

    func isBehind(_ waiter: KeyWaiter, for keys: [String]) -> Bool {
        let keys = Set(keys.map { ByteKey($0) })
        return line.contains {
            $0.waiter.number < waiter.number && !$0.keys.isDisjoint(with: keys)
                && !$0.isOperation(waiter.path, of: waiter.job)
        }
    }

    func enter(_ waiter: KeyWaiter, for keys: [String]) {
        transaction.ledger.enter(.init(waiter: waiter, keys: Set(keys.map { ByteKey($0) })))
    }

    @discardableResult
    func leave(_ path: [String], in job: JobID) -> [String] {
        let keys = keys(of: place(of: path, in: job))
        transaction.ledger.keyLine.removeAll { $0.isOperation(path, of: job) }
        return keys
    }

    func pass(
        _ waiter: KeyWaiter, insideOf holder: (job: JobID, path: [String])
    ) -> [(waiter: KeyWaiter, keys: [String])] {
        var moved: [(waiter: KeyWaiter, keys: [String])] = []
        for var place in line {
            let (inner, number) = (place.waiter, waiter.number - 1)
            guard inner.job == holder.job, inner.path.count > holder.path.count,
                inner.path.starts(with: holder.path), inner.number > number
            else { continue }
            transaction.ledger.keyLine.removeAll { $0.isOperation(inner.path, of: inner.job) }
            place.waiter.number = number
            transaction.ledger.enter(place)
            moved.append((place.waiter, keys(of: place)))
        }
        return moved
    }
}
