import Synchronization
import Testing

@testable import JobKit

/// A board with limits for one host.
private final class LimitDesk {
    let board = OriginBoard()
    var now = Timestamp(milliseconds: 1_795_255_200_000)
    private let woken: WokenJobs

    init(_ limits: FlowLimits, host: String = "api.example") {
        let woken = WokenJobs()
        self.woken = woken
        board.setLimits([host: limits], now: now)
        board.onPlace { woken.add($0.job) }
    }

    var wokenJobs: [String] { woken.all }

    func pass(_ seconds: Double) { now = now.advanced(by: .milliseconds(Int(seconds * 1_000))) }

    func caller(_ job: String) -> OriginCaller { OriginCaller(job: job, path: ["call"]) }

    /// Whether a call may begin.
    func begins(_ job: String, at origin: String = "https://api.example") -> Bool {
        if case .pass = board.admit(.init(origin: origin, caller: caller(job)), now: now) { return true }
        return false
    }

    /// The seconds that a call has to wait.
    func wait(_ job: String) -> Double? {
        let call = OriginCall(origin: "https://api.example", caller: caller(job))
        guard case .wait(let until, _) = board.admit(call, now: now) else { return nil }
        return Double(until.since(now).wholeMilliseconds) / 1_000
    }

    func end(at origin: String = "https://api.example") {
        board.settle(.init(origin: origin, isProbe: false), .init(kind: .reached), now: now)
    }
}

private final class WokenJobs: Sendable {
    private let values = Mutex<[String]>([])
    var all: [String] { values.withLock { $0 } }
    func add(_ value: String) { values.withLock { $0.append(value) } }
}

@Suite struct `A host with limits` {
    @Test func `has no more calls in flight than it may, and wakes those that wait in their order`() {
        let desk = LimitDesk(FlowLimits(concurrency: 2))
        #expect(desk.begins("a"))
        #expect(desk.begins("b", at: "http://api.example:8080"))
        #expect(!desk.begins("c"))
        #expect(!desk.begins("d"))
        desk.end()
        #expect(desk.wokenJobs == ["c"])
        // The place is kept for it.
        #expect(!desk.begins("e"))
        #expect(desk.begins("c"))
        desk.end()
        #expect(desk.wokenJobs == ["c", "d"])
        #expect(desk.board.views(now: desk.now).map(\.waiting).max() == 1)
    }

    @Test func `gives the place of one that does not come to the next`() {
        let desk = LimitDesk(FlowLimits(concurrency: 1))
        #expect(desk.begins("a"))
        #expect(!desk.begins("b"))
        #expect(!desk.begins("c"))
        desk.end()
        desk.pass(11)
        #expect(!desk.begins("d"))
        #expect(desk.wokenJobs == ["b", "c"])
        #expect(desk.begins("c"))
    }

    @Test func `lets a call take the place of one that is late, which is then the first again`() {
        let desk = LimitDesk(FlowLimits(concurrency: 1))
        #expect(desk.begins("a"))
        #expect(!desk.begins("b"))
        #expect(!desk.begins("c"))
        desk.end()
        #expect(!desk.begins("d"))
        desk.pass(2)
        #expect(desk.begins("d"))
        #expect(!desk.begins("b"))
        desk.end()
        #expect(desk.wokenJobs == ["b", "b"])
        #expect(desk.begins("b"))
    }

    @Test func `forgets one that does not call any more`() {
        let desk = LimitDesk(FlowLimits(concurrency: 1))
        #expect(desk.begins("a"))
        for job in ["b", "c", "d"] { #expect(!desk.begins(job)) }
        desk.end()
        desk.board.giveUp(desk.caller("b"), now: desk.now)
        #expect(desk.wokenJobs == ["b", "c"])
        // One that is late twice has lost its turn.
        desk.pass(2)
        #expect(desk.begins("e"))
        desk.end()
        #expect(desk.wokenJobs == ["b", "c", "c"])
        desk.pass(2)
        #expect(desk.begins("e"))
        desk.end()
        #expect(desk.wokenJobs == ["b", "c", "c", "d"])
    }

    @Test func `wakes nothing that looks for its place itself, until its run is suspended`() {
        let desk = LimitDesk(FlowLimits(concurrency: 1))
        #expect(desk.begins("a"))
        #expect(!desk.begins("b"))
        desk.board.attend(desk.caller("b"))
        desk.end()
        #expect(desk.wokenJobs == [])
        #expect(desk.board.hasPlace(desk.caller("b"), at: "https://api.example"))
        desk.board.leave(desk.caller("b"), of: "https://api.example")
        #expect(desk.wokenJobs == ["b"])
    }

    @Test func `gives each call that a rate holds back a date of its own`() {
        let desk = LimitDesk(FlowLimits(rate: RateLimit(count: 1, per: .seconds(1))))
        #expect(desk.begins("a"))
        #expect(desk.wait("b") == 1)
        #expect(desk.wait("c") == 2)
        desk.pass(0.5)
        #expect(desk.wait("b") == 0.5)
        desk.pass(1)
        #expect(desk.begins("b"))
        #expect(desk.wait("c") == 0.5)
        #expect(desk.wait("d") == 1.5)
        desk.pass(0.5)
        #expect(desk.begins("c"))
    }

    @Test func `gives new dates to calls that come for theirs too late, all at once`() {
        let desk = LimitDesk(FlowLimits(rate: RateLimit(count: 1, per: .seconds(1))))
        #expect(desk.begins("a"))
        for (job, date) in [("b", 1.0), ("c", 2), ("d", 3)] { #expect(desk.wait(job) == date) }
        desk.pass(10)
        #expect(["c", "d", "b"].map { desk.begins($0) } == [true, false, false])
        // One that is new comes after those that were late.
        #expect((desk.wait("e") ?? 0) > (desk.wait("b") ?? 0))
    }

    @Test func `keeps to its rate after a stop, and to no less`() {
        let desk = LimitDesk(FlowLimits(rate: RateLimit(count: 20, per: .seconds(1))))
        var waiting = (0..<60).map { "\($0)" }.filter { !desk.begins($0) }
        #expect(waiting.count == 58)
        desk.pass(10)
        var begun: [Int] = []
        for _ in 0..<350 {
            let left = waiting.filter { !desk.begins($0) }
            begun.append(waiting.count - left.count)
            waiting = left
            desk.pass(0.01)
        }
        #expect(waiting.isEmpty)
        for start in 0..<250 { #expect(begun[start..<start + 100].reduce(0, +) <= 22) }
        #expect(begun[..<100].reduce(0, +) >= 20)
    }

    @Test func `keeps to its rate when many places become free at once`() {
        let limits = FlowLimits(concurrency: 3, rate: RateLimit(count: 1, per: .seconds(1)))
        let desk = LimitDesk(limits)
        for job in ["a", "b", "c"] {
            #expect(desk.begins(job))
            desk.pass(1)
        }
        // Each has its part of the rate, and waits for a place only.
        for job in ["d", "e", "f"] {
            #expect(!desk.begins(job))
            desk.pass(1)
        }
        for _ in 0..<3 { desk.end() }
        #expect(["d", "e", "f"].filter { desk.begins($0) } == ["d"])
        desk.pass(1)
        #expect(["e", "f"].filter { desk.begins($0) } == ["e"])
        desk.pass(1)
        #expect(desk.begins("f"))
    }

    @Test func `keeps the part of the rate of a call that waits for a place`() {
        let limits = FlowLimits(concurrency: 1, rate: RateLimit(count: 1, per: .seconds(1)))
        let desk = LimitDesk(limits)
        #expect(desk.begins("a"))
        desk.pass(5)
        #expect(!desk.begins("b"))
        desk.end()
        #expect(desk.begins("b"))
    }

    @Test func `prefers the limits of a port, and lets all go when they are removed`() {
        let desk = LimitDesk(FlowLimits(concurrency: 1), host: "api.example:443")
        #expect(desk.begins("a"))
        #expect(!desk.begins("b"))
        #expect(desk.begins("c", at: "http://api.example"))
        desk.board.setLimits([:], now: desk.now)
        #expect(desk.wokenJobs == ["b"])
        #expect(desk.begins("b"))
    }

    @Test func `loses no place to a call that has to wait for another reason`() {
        let desk = LimitDesk(FlowLimits(concurrency: 1))
        #expect(desk.begins("a"))
        desk.board.settle(
            .init(origin: "https://api.example", isProbe: false),
            .init(kind: .reached, status: 429, pause: .seconds(60)), now: desk.now)
        #expect(!desk.begins("b"))
        desk.pass(61)
        #expect(desk.begins("c"))
        desk.end()
        #expect(desk.begins("b"))
    }
}
