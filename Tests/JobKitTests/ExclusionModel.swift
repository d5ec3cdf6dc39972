@testable import JobKit

/// The rule of exclusive keys at its simplest: one line of all waiters, which is gone through from its beginning after
/// each change. Keys and names are numbers.
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
    }

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
        if let place = line.firstIndex(where: { $0.owner == waiter.owner && $0.isAway }) {
            line[place] = waiter
        } else {
            line.append(waiter)
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
