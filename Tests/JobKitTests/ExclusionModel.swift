@testable import JobKit

/// The rule of exclusive keys at its simplest: one line of all waiters, which is gone through from its beginning after
/// each change. One that comes stands before all that wait for a holder around it. Keys and names are numbers.
struct ExclusionModel {
    struct Owner: Hashable {
        var job: Int
        var path: [Int]

        func isInside(of group: Owner) -> Bool {
            job == group.job && path.count > group.path.count && path.starts(with: group.path)
        }
    }

    struct Waiter {
        let ticket: UInt64
        let owner: Owner
        let keys: Set<Int>
        var isAway: Bool
        /// The holders around it.
        var around: Set<Owner> = []
        /// The same as that of the one before which it was put.
        var number = 0
        /// Whether it was put before another one.
        var isAhead = false
    }

    private var lastNumber = 0
    private(set) var holders: [Int: Owner] = [:]
    private(set) var held: [Owner: Set<Int>] = [:]
    private(set) var line: [Waiter] = []

    func position(of owner: Owner) -> Int? {
        guard let index = line.firstIndex(where: { $0.owner == owner }) else { return nil }
        return line[..<index].count { !$0.keys.isDisjoint(with: line[index].keys) }
    }

    func holds(_ keys: Set<Int>, _ owner: Owner) -> Bool { held[owner]?.isSuperset(of: keys) == true }

    mutating func takeNow(_ keys: Set<Int>, _ owner: Owner) -> Bool {
        if holds(keys, owner) { return true }
        guard isFree(keys, for: owner), line.allSatisfy({ $0.keys.isDisjoint(with: keys) }) else {
            return false
        }
        give(keys, to: owner)
        return true
    }

    mutating func restore(_ key: Int, to owner: Owner) {
        if holders[key] == nil { give([key], to: owner) }
    }

    mutating func enter(_ waiter: Waiter) {
        var waiter = waiter
        waiter.around = Set(held.keys.filter { waiter.owner.isInside(of: $0) })
        let keys = waiter.around.reduce(into: Set<Int>()) { $0.formUnion(held[$1] ?? []) }
        let old = line.firstIndex { $0.owner == waiter.owner && $0.isAway }
        let waiting = line.firstIndex { !$0.keys.isDisjoint(with: keys) }
        if let old, old <= waiting ?? old {
            let isSame = line[old].keys == waiter.keys
            (waiter.number, waiter.isAhead) = (line[old].number, line[old].isAhead)
            line[old] = waiter
            if !isSame { letPass(waiter.ticket) }
        } else if let waiting {
            put(waiter, before: waiting)
            if let old { line.remove(at: old + 1) }
            letPass(waiter.ticket)
        } else {
            lastNumber += 1
            waiter.number = lastNumber
            line.append(waiter)
        }
    }

    /// Puts one immediately before another, or before all that were put before the same one.
    private mutating func put(_ waiter: Waiter, before index: Int) {
        let other = line[index]
        var new = waiter
        (new.number, new.isAhead) = (other.number, true)
        line.insert(
            new, at: other.isAhead ? line.firstIndex { $0.number == other.number } ?? index : index)
    }

    /// Puts those inside of a holder that one waits for before it.
    private mutating func letPass(_ ticket: UInt64) {
        var open = [ticket]
        var moved: Set<UInt64> = []
        while let next = open.popLast(), let waiter = line.first(where: { $0.ticket == next }) {
            moved.insert(next)
            for key in waiter.keys.sorted() {
                guard let holder = holders[key], holder != waiter.owner else { continue }
                for inner in line where inner.around.contains(holder) && !moved.contains(inner.ticket) {
                    guard let place = line.firstIndex(where: { $0.ticket == next }),
                        let old = line.firstIndex(where: { $0.ticket == inner.ticket }), old > place
                    else { continue }
                    line.remove(at: old)
                    put(inner, before: place)
                    moved.insert(inner.ticket)
                    open.append(inner.ticket)
                }
            }
        }
    }

    mutating func goAway(_ ticket: UInt64) -> Bool {
        guard let index = line.firstIndex(where: { $0.ticket == ticket }) else { return false }
        line[index].isAway = true
        return true
    }

    mutating func leave(_ ticket: UInt64) -> Bool {
        guard let index = line.firstIndex(where: { $0.ticket == ticket }) else { return false }
        line.remove(at: index)
        return true
    }

    mutating func giveBack(where isMeant: (Owner) -> Bool) -> Set<Int> {
        line.removeAll { isMeant($0.owner) && $0.isAway }
        var freed: Set<Int> = []
        for owner in held.keys.filter(isMeant) {
            for index in line.indices { line[index].around.remove(owner) }
            for key in held.removeValue(forKey: owner) ?? [] {
                holders[key] = nil
                freed.insert(key)
            }
        }
        return freed
    }

    mutating func admit() -> [UInt64] {
        var wanted: Set<Int> = []
        var admitted: [UInt64] = []
        var rest: [Waiter] = []
        for waiter in line {
            if waiter.keys.isDisjoint(with: wanted), isFree(waiter.keys, for: waiter.owner) {
                give(waiter.keys, to: waiter.owner)
                admitted.append(waiter.ticket)
            } else {
                wanted.formUnion(waiter.keys)
                rest.append(waiter)
            }
        }
        line = rest
        return admitted
    }

    private func isFree(_ keys: Set<Int>, for owner: Owner) -> Bool {
        keys.allSatisfy { holders[$0].map { $0 == owner } ?? true }
    }

    private mutating func give(_ keys: Set<Int>, to owner: Owner) {
        if keys.isEmpty { return }
        for key in keys { holders[key] = owner }
        held[owner, default: []].formUnion(keys)
    }
}
