import StrictJSON
import Testing
import TestOperations

@testable import JobKit

/// Plays random programs on the board and on the model.
private struct BoardGame {
    /// In the order of their bytes. Two of each are equal as texts of Swift, and not as bytes.
    static let keys = ["b", "c", "cafe\u{301}", "caf\u{e9}", "d"]
    static let names = ["\u{e9}", "e\u{301}", "x"]

    var random: SeededRandom
    var board = ExclusionBoard()
    var model = ExclusionModel()
    var lastTicket: UInt64 = 0
    var fault: String?

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private func named(_ owner: ExclusionModel.Owner) -> ExclusionOwner {
        ExclusionOwner(job: Self.names[owner.job], path: owner.path.map { Self.names[$0] })
    }

    private mutating func owner() -> ExclusionModel.Owner {
        let depth = random.below(4)
        return .init(job: random.below(2), path: (0..<depth).map { _ in random.below(depth == 3 ? 3 : 2) })
    }

    private mutating func someKeys(from least: Int) -> Set<Int> {
        Set((0..<max(least, random.below(4))).map { _ in random.below(Self.keys.count) })
    }

    private mutating func check<Value: Equatable>(_ one: Value, _ other: Value, _ what: String) {
        if one != other, fault == nil { fault = "\(what): \(one), and the model says \(other)" }
    }

    private func texts(_ keys: Set<Int>) -> Set<ByteKey> { Set(keys.map { ByteKey(Self.keys[$0]) }) }

    mutating func play(steps: Int) {
        for step in 0..<steps where fault == nil {
            let what = event()
            check(board.admit().map(\.ticket), model.admit(), "step \(step), grants after \(what)")
            for (number, key) in Self.keys.enumerated() {
                check(
                    board.holder(of: ByteKey(key)), model.holders[number].map(named),
                    "step \(step), holder of \(number) after \(what)")
            }
            let asked = owner()
            check(
                board.position(of: named(asked)), model.position(of: asked),
                "step \(step), place after \(what)")
            check(board.isIdle, model.held.isEmpty && model.line.isEmpty, "step \(step), idle after \(what)")
        }
    }

    private mutating func event() -> String {
        let kind = random.below(20)
        let owner = owner()
        switch kind {
        case 0...2:
            let keys = someKeys(from: 1)
            check(board.takeNow(texts(keys), named(owner)), model.takeNow(keys, owner), "taken now")
            return "take now \(keys)"
        case 3...9:
            let keys = someKeys(from: random.percent(5) ? 0 : 1)
            enter(keys, owner)
            return "enter \(keys) \(owner)"
        case 10, 11:
            let ticket = UInt64(random.below(Int(lastTicket) + 2))
            check(board.goAway(ticket), model.goAway(ticket), "gone away")
            return "go away \(ticket)"
        case 12:
            let ticket = UInt64(random.below(Int(lastTicket) + 2))
            check(board.leave(ticket), model.leave(ticket), "left")
            return "leave \(ticket)"
        case 13...16:
            // A hold lasts for a while only.
            let all = model.holders.values.sorted { "\($0)" < "\($1)" }
            let holder = all.isEmpty ? owner : all[random.below(all.count)]
            let freed = model.giveBack { $0 == holder }
            check(board.giveBack(named(holder)), texts(freed), "given back")
            return "give back \(holder)"
        case 17:
            let freed = model.giveBack { $0.isInside(of: owner) }
            check(board.giveBackInside(of: named(owner)), texts(freed), "given back inside")
            return "give back inside \(owner)"
        case 18:
            let key = random.below(Self.keys.count)
            board.restore(ByteKey(Self.keys[key]), to: named(owner))
            model.restore(key, to: owner)
            return "restore \(key) \(owner)"
        default:
            if random.percent(70) { return "nothing" }
            board.forget(job: Self.names[owner.job])
            _ = model.giveBack { $0.job == owner.job }
            return "forget \(owner.job)"
        }
    }

    private mutating func enter(_ keys: Set<Int>, _ owner: ExclusionModel.Owner) {
        // An owner that was away often asks again.
        let away = model.line.filter(\.isAway).map(\.owner)
        let owner = !away.isEmpty && random.percent(40) ? away[random.below(away.count)] : owner
        if !keys.isEmpty {
            check(board.holds(texts(keys), named(owner)), model.holds(keys, owner), "held")
        }
        if model.holds(keys, owner) { return }
        lastTicket += 1
        let isAway = random.percent(20)
        let around = owner.path.indices.map {
            ExclusionModel.Owner(job: owner.job, path: Array(owner.path[..<$0]))
        }
        board.enter(texts(keys), named(owner), ticket: lastTicket, isAway: isAway, around: around.map(named))
        model.enter(.init(ticket: lastTicket, owner: owner, keys: keys, isAway: isAway))
    }
}

@Suite struct `The board of exclusive keys` {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `grants what the simple rule grants, in its order, in 200 random programs`(part: UInt64) {
        for seed in (part * 200)..<((part + 1) * 200) {
            var game = BoardGame(seed: seed)
            game.play(steps: 60)
            #expect(game.fault == nil, "seed \(seed)")
            if game.fault != nil { return }
        }
    }

    private func owner(_ number: Int) -> ExclusionOwner {
        ExclusionOwner(job: "job \(number)", path: ["work"])
    }

    /// The steps of `count` owners who come, wait and go, one after another.
    private func steps(of count: Int, _ keys: (Int) -> Set<ByteKey>) -> Int {
        var board = ExclusionBoard()
        for number in 0..<count where !board.takeNow(keys(number), owner(number)) {
            board.enter(keys(number), owner(number), ticket: UInt64(number + 1), isAway: false)
            let grants = board.admit()
            #expect(grants.isEmpty)
        }
        for number in 0..<count {
            _ = board.giveBack(owner(number))
            let grants = board.admit()
            #expect(grants.count <= 2)
        }
        #expect(board.isIdle)
        return board.steps
    }

    /// Lets `owner` wait and returns the tickets of those that got their keys.
    private func enter(
        _ keys: [String], _ owner: ExclusionOwner, _ ticket: UInt64, in board: inout ExclusionBoard
    ) -> [UInt64] {
        let around = owner.path.indices.map { ExclusionOwner(job: owner.job, path: Array(owner.path[..<$0])) }
        board.enter(Set(keys.map { ByteKey($0) }), owner, ticket: ticket, isAway: false, around: around)
        return board.admit().map(\.ticket)
    }

    @Test func `lets those inside of a holder pass others that wait for it over several keys`() {
        var board = ExclusionBoard()
        let (old, new) = (ExclusionOwner(job: "old", path: []), ExclusionOwner(job: "new", path: []))
        #expect(enter(["a"], old, 1, in: &board) == [1])
        #expect(enter(["x", "a"], owner(1), 2, in: &board) == [])
        #expect(enter(["b"], new, 3, in: &board) == [3])
        // Waits for "old" as well, which does not wait for "new" yet.
        #expect(enter(["x"], ExclusionOwner(job: "new", path: ["m"]), 4, in: &board) == [])
        #expect(enter(["b"], ExclusionOwner(job: "old", path: ["m"]), 5, in: &board) == [4])
    }

    @Test func `takes as many steps for each owner however many wait for its key`() {
        let few = steps(of: 500) { _ in [ByteKey("k")] }
        let many = steps(of: 1_000) { _ in [ByteKey("k")] }
        #expect(many <= 2 * few + 10)
        #expect(few <= 10 * 500)
    }

    @Test func `takes as many steps for an owner of two keys, each shared with half of the others`() {
        let keys = { (number: Int) -> Set<ByteKey> in [ByteKey("all"), ByteKey("half \(number % 2)")] }
        // The order in which the keys of one owner are looked at differs from run to run; a walk of the line would take
        // four times as many.
        #expect(10 * steps(of: 1_000, keys) <= 23 * steps(of: 500, keys))
    }

    @Test func `does not look at those who wait for other keys`() {
        func steps(waiting: Int) -> Int {
            var board = ExclusionBoard()
            for number in 0..<waiting {
                board.enter([ByteKey("k")], owner(number), ticket: UInt64(number + 1), isAway: true)
                _ = board.admit()
            }
            let before = board.steps
            for number in 0..<100 {
                let owner = ExclusionOwner(job: "other", path: ["\(number)"])
                let isTaken = board.takeNow([ByteKey("other")], owner)
                #expect(isTaken)
                _ = board.giveBack(owner)
                _ = board.giveBackInside(of: owner)
                board.forget(job: "other")
                _ = board.admit()
            }
            return board.steps - before
        }
        #expect(steps(waiting: 1_000) == steps(waiting: 10))
    }

    @Test func `keeps no trace of waiters that left before any turn`() {
        var board = ExclusionBoard()
        let isTaken = board.takeNow([ByteKey("k")], owner(0))
        #expect(isTaken)
        var ticket: UInt64 = 0
        func come(and leaves: Int, _ board: inout ExclusionBoard) -> Int {
            let before = board.steps
            for _ in 0..<leaves {
                ticket += 1
                board.enter([ByteKey("k")], owner(1), ticket: ticket, isAway: false)
                _ = board.admit()
                let isGone = board.leave(ticket)
                #expect(isGone)
                _ = board.admit()
            }
            return board.steps - before
        }
        let first = come(and: 1_000, &board)
        let second = come(and: 1_000, &board)
        #expect(second <= first + 200)
        _ = board.giveBack(owner(0))
        let grants = board.admit()
        #expect(grants.isEmpty)
        #expect(board.isIdle)
    }
}
