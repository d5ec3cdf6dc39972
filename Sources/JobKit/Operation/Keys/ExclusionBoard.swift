internal import StrictJSON

// DESIGN
// Each key has a line of its own, in the order of places: an owner that asks for several keys is in several lines with
// one place. A waiter gets its keys when it is the first in all of its lines and no other owner holds one of them. So a
// change concerns only the first ones in the lines of the keys that changed, however many others wait: those are `due`.
//
// A holder cannot end before the operations inside of it, so those stand before all that wait for its keys: behind one
// of them they would wait for each other for ever, on a key that is free. Around any circle of waits places would only
// decrease, so the only circles are those of holders that wait for each other's keys.
//
// A waiter that leaves stays in the heaps of its keys until it is their first, or until most of a heap is such rest.

/// The holders of exclusive keys and the lines for them, without tasks and locks. After each change `admit` returns
/// those that got their keys.
struct ExclusionBoard {
    /// A waiter that has got its keys.
    struct Grant: Sendable, Hashable {
        let ticket: UInt64
        let owner: ExclusionOwner
    }

    private struct Waiter {
        let ticket: UInt64
        let owner: Int
        let keys: Set<ByteKey>
        /// The holders that cannot end before it does.
        let around: [Int]
        /// Whether its tree is out of memory.
        var isAway: Bool
    }

    private struct Key {
        var holder: Int?
        var line = MinHeap<LinePlace>()
        /// The number of waiters in line.
        var waiting = 0

        var isIdle: Bool { holder == nil && waiting == 0 }
        var isMostlyRest: Bool { line.count > 2 * waiting + 64 }
    }

    private var owners = OwnerTree()
    private var keys: [ByteKey: Key] = [:]
    /// By place. One that returns gets its old place.
    private var waiters: [LinePlace: Waiter] = [:]
    private var places: [UInt64: LinePlace] = [:]
    private var lastNumber: UInt64 = 0
    /// The last orders of places made before that of a waiter that came last, and before one made so.
    private var lastOrders = (later: Int64(0), earlier: Int64(0))
    /// The waiters inside of holders, by ticket.
    private var inside: [Int: Set<UInt64>] = [:]
    /// The places of those whose turn may have come.
    private var due = MinHeap<LinePlace>()
    /// The number of lines and waiters that were looked at, for tests.
    private(set) var steps = 0

    /// Whether no key is held or waited for.
    var isIdle: Bool { owners.isEmpty }

    func holder(of key: ByteKey) -> ExclusionOwner? { keys[key]?.holder.flatMap { owners[$0].owner } }

    /// The number of owners in line before `owner` for one of its keys; nil when it does not wait.
    func position(of owner: ExclusionOwner) -> Int? {
        guard let number = owners.find(owner), let place = owners[number].places.min(),
            let waiter = waiters[place]
        else { return nil }
        var before: Set<LinePlace> = []
        for key in waiter.keys {
            for other in keys[key]?.line.elements ?? [] where other < place && stands(other, for: key) {
                before.insert(other)
            }
        }
        return before.count
    }

    /// The first other holder of a key that `owner` waits for.
    func holder(before owner: ExclusionOwner) -> ExclusionOwner? {
        guard let number = owners.find(owner), let place = owners[number].places.min() else { return nil }
        let holders = (waiters[place]?.keys ?? []).sorted().compactMap { keys[$0]?.holder }
        return holders.first { $0 != number }.flatMap { owners[$0].owner }
    }

    /// Whether `owner` holds all of `wanted`.
    func holds(_ wanted: Set<ByteKey>, _ owner: ExclusionOwner) -> Bool {
        wanted.isEmpty || owners.find(owner).map { owners[$0].held.isSuperset(of: wanted) } ?? false
    }

    // MARK: Changes

    /// Gives keys that are free, or already held by `owner`, and without waiters.
    mutating func takeNow(_ wanted: Set<ByteKey>, _ owner: ExclusionOwner) -> Bool {
        let known = owners.find(owner)
        if wanted.isEmpty || known.map({ owners[$0].held.isSuperset(of: wanted) }) == true { return true }
        for key in wanted {
            steps += 1
            guard let key = keys[key] else { continue }
            if key.waiting > 0 || key.holder != nil && key.holder != known { return false }
        }
        give(wanted, to: owners.number(of: owner))
        return true
    }

    /// Restores a key that was held before a restart, unless another owner holds it.
    mutating func restore(_ key: ByteKey, to owner: ExclusionOwner) {
        if keys[key]?.holder == nil { give([key], to: owners.number(of: owner)) }
    }

    /// Adds a waiter: at its old place when it was away, else behind all others but those that wait for keys of the
    /// holders `around` it, which cannot end before it does.
    mutating func enter(
        _ wanted: Set<ByteKey>, _ owner: ExclusionOwner, ticket: UInt64, isAway: Bool,
        around holders: [ExclusionOwner] = []
    ) {
        let number = owners.number(of: owner)
        let old = owners[number].places.filter { waiters[$0]?.isAway == true }.min()
        let around = holders.compactMap { owners.find($0) }.filter { !owners[$0].held.isEmpty }
        let place = place(around: around, before: old)
        let isSame = old == place && waiters[place]?.keys == wanted
        if let old { remove(old) }
        add(Waiter(ticket: ticket, owner: number, keys: wanted, around: around, isAway: isAway), at: place)
        if !isSame, old == place || place.order < .max { letPass(place) }
    }

    /// `old`, unless it is behind one that waits for a key of the holders `around`: then, and without an old place, one
    /// before that waiter, or the last.
    private mutating func place(around: [Int], before old: LinePlace?) -> LinePlace {
        var waiting: LinePlace?
        for holder in around {
            for key in owners[holder].held {
                if let first = first(for: key), waiting.map({ first < $0 }) ?? true { waiting = first }
            }
        }
        if let old, waiting.map({ old <= $0 }) ?? true { return old }
        if let waiting { return place(before: waiting) }
        lastNumber += 1
        return LinePlace(number: lastNumber, order: .max)
    }

    private mutating func place(before other: LinePlace) -> LinePlace {
        if other.order == .max {
            lastOrders.later += 1
            return LinePlace(number: other.number, order: lastOrders.later)
        }
        lastOrders.earlier -= 1
        return LinePlace(number: other.number, order: lastOrders.earlier)
    }

    /// Moves the waiters inside of the holders that the one at `place` waits for before it, then those inside of the
    /// holders that these wait for, each once.
    private mutating func letPass(_ place: LinePlace) {
        var open = [place]
        var moved: Set<UInt64> = []
        while let next = open.popLast(), let waiter = waiters[next] {
            moved.insert(waiter.ticket)
            for key in waiter.keys.sorted() {
                guard let holder = keys[key]?.holder, holder != waiter.owner else { continue }
                for old in (inside[holder] ?? []).subtracting(moved).compactMap({ places[$0] }).sorted() {
                    steps += 1
                    guard old > next, let inner = remove(old) else { continue }
                    let new = self.place(before: next)
                    add(inner, at: new)
                    moved.insert(inner.ticket)
                    open.append(new)
                }
            }
        }
    }

    private mutating func add(_ waiter: Waiter, at place: LinePlace) {
        owners.enter(place, waiter.owner)
        waiters[place] = waiter
        places[waiter.ticket] = place
        for holder in waiter.around { inside[holder, default: []].insert(waiter.ticket) }
        for key in waiter.keys {
            keys[key, default: Key()].line.insert(place)
            keys[key]?.waiting += 1
        }
        due.insert(place)
    }

    /// Notes that a waiter's tree has left memory: it stays in line.
    /// - Returns: false when it is not in line.
    mutating func goAway(_ ticket: UInt64) -> Bool {
        guard let place = places[ticket] else { return false }
        waiters[place]?.isAway = true
        return true
    }

    /// Takes a waiter out of the line.
    /// - Returns: false when it is not in line.
    mutating func leave(_ ticket: UInt64) -> Bool {
        guard let place = places[ticket], let owner = waiters[place]?.owner else { return false }
        remove(place)
        owners.removeIfIdle(owner)
        return true
    }

    /// Releases all that `owner` holds, and takes it out of the line when it is away.
    /// - Returns: the keys that it held.
    mutating func giveBack(_ owner: ExclusionOwner) -> Set<ByteKey> {
        owners.find(owner).map { giveBack($0) } ?? []
    }

    /// The same for the operations inside of `group`.
    mutating func giveBackInside(of group: ExclusionOwner) -> Set<ByteKey> {
        guard let number = owners.find(group) else { return [] }
        // The inner ones first: a group without any is removed with the last of them.
        return owners.below(number).reversed().reduce(into: []) { $0.formUnion(giveBack($1)) }
    }

    /// The same for all operations of a job.
    mutating func forget(job: String) {
        let root = ExclusionOwner(job: job, path: [])
        _ = giveBackInside(of: root)
        _ = giveBack(root)
    }

    private mutating func giveBack(_ number: Int) -> Set<ByteKey> {
        steps += 1
        for place in owners[number].places where waiters[place]?.isAway == true { remove(place) }
        let released = owners.release(number)
        inside[number] = nil
        for key in released {
            keys[key]?.holder = nil
            look(at: key)
        }
        owners.removeIfIdle(number)
        return released
    }

    // MARK: Turns

    /// Gives keys to those in line whose turn has come, in the order of their places, and takes them out of it.
    mutating func admit() -> [Grant] {
        var grants: [Grant] = []
        while let place = due.removeFirst() {
            guard let waiter = waiters[place], mayTake(waiter, place) else { continue }
            give(waiter.keys, to: waiter.owner)
            remove(place)
            if let owner = owners[waiter.owner].owner {
                grants.append(Grant(ticket: waiter.ticket, owner: owner))
            }
            owners.removeIfIdle(waiter.owner)
        }
        return grants
    }

    private mutating func mayTake(_ waiter: Waiter, _ place: LinePlace) -> Bool {
        for key in waiter.keys {
            steps += 1
            if let holder = keys[key]?.holder, holder != waiter.owner { return false }
            if first(for: key) != place { return false }
        }
        return true
    }

    private mutating func give(_ wanted: Set<ByteKey>, to number: Int) {
        for key in wanted { keys[key, default: Key()].holder = number }
        owners.hold(wanted, number)
    }

    @discardableResult
    private mutating func remove(_ place: LinePlace) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: place) else { return nil }
        places[waiter.ticket] = nil
        owners.leave(place, waiter.owner)
        for holder in waiter.around where inside[holder]?.remove(waiter.ticket) != nil {
            if inside[holder]?.isEmpty == true { inside[holder] = nil }
        }
        for key in waiter.keys { leave(key) }
        return waiter
    }

    // MARK: The line of a key

    /// Notes that a waiter for `key` has left.
    private mutating func leave(_ key: ByteKey) {
        keys[key]?.waiting -= 1
        if keys[key]?.isMostlyRest == true {
            let all = keys[key]?.line.elements ?? []
            steps += all.count
            let standing = Set(all.filter { stands($0, for: key) })
            keys[key]?.line = MinHeap(sorted: standing.sorted())
        }
        look(at: key)
    }

    /// Lets the first in line for a key try to take it, and removes a key without holder and waiters.
    private mutating func look(at key: ByteKey) {
        if keys[key]?.isIdle == true { keys[key] = nil }
        guard let first = first(for: key) else { return }
        let holder = keys[key]?.holder
        if holder == nil || holder == waiters[first]?.owner { due.insert(first) }
    }

    private mutating func first(for key: ByteKey) -> LinePlace? {
        while let first = keys[key]?.line.first {
            steps += 1
            if stands(first, for: key) { return first }
            keys[key]?.line.removeFirst()
        }
        return nil
    }

    private func stands(_ place: LinePlace, for key: ByteKey) -> Bool {
        waiters[place]?.keys.contains(key) == true
    }
}
