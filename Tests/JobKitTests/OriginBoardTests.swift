import HTTPMessage
import Testing

@testable import JobKit

/// A board with the current time.
private struct Desk {
    static let api = "https://api.example"
    let board: OriginBoard
    var now = Timestamp(milliseconds: 1_795_255_200_000)

    init(_ change: (inout OriginRules) -> Void = { _ in }) {
        var rules = OriginRules()
        change(&rules)
        board = OriginBoard(rules: rules)
    }

    mutating func pass(_ seconds: Double) { now = now.advanced(by: .milliseconds(Int(seconds * 1_000))) }

    func ask(_ origin: String = api, isRetry: Bool = false, heedsCoolDown: Bool = true) -> OriginAnswer {
        board.admit(.init(origin: origin, isRetry: isRetry, heedsCoolDown: heedsCoolDown), now: now)
    }

    /// The number of seconds that a call has to wait; nil when it may begin.
    func wait(isRetry: Bool = false) -> Double? {
        guard case .wait(let until, _) = ask(isRetry: isRetry) else { return nil }
        return Double(until.since(now).wholeMilliseconds) / 1_000
    }

    /// Makes a call with this outcome; false when it had to wait.
    @discardableResult
    func call(_ kind: OriginOutcome.Kind, pause: Duration? = nil, isRetry: Bool = false) -> Bool {
        guard case .pass(let isProbe) = ask(isRetry: isRetry) else { return false }
        board.settle(
            .init(origin: Self.api, isProbe: isProbe), .init(kind: kind, status: 503, pause: pause), now: now)
        return true
    }

    func calls(_ count: Int, _ kind: OriginOutcome.Kind) { for _ in 0..<count { call(kind) } }

    var view: OriginView? { board.views(now: now).first { $0.origin == Self.api } }
}

@Suite struct `An origin that asked for a pause` {
    @Test func `delays every call until then, and releases them one after the other`() {
        var desk = Desk()
        desk.call(.reached, pause: .seconds(30))
        #expect(desk.view?.state == .coolingDown)
        #expect(desk.view?.until == desk.now.advanced(by: .seconds(30)))
        #expect((0..<4).map { _ in desk.wait() } == [30, 30.01, 30.02, 30.03])
        desk.pass(29.9)
        #expect(desk.wait() != nil)
        desk.pass(0.1)
        #expect(desk.wait() == nil)
        #expect(desk.view?.state == .open)
    }

    @Test func `does not affect others`() {
        let desk = Desk()
        desk.call(.reached, pause: .seconds(30))
        #expect(desk.ask("https://api.example:8443") == .pass(isProbe: false))
        #expect(desk.ask("http://api.example") == .pass(isProbe: false))
    }

    @Test func `does not delay calls that ignore it, or longer than an hour`() {
        let desk = Desk()
        desk.call(.reached, pause: .seconds(86_400))
        #expect(desk.wait() == 3_600)
        #expect(desk.ask(heedsCoolDown: false) == .pass(isProbe: false))
    }

    @Test func `holds back no longer than a call lets an answer ask for, and others as long as it asks`() {
        var desk = Desk()
        desk.call(.reached, pause: .seconds(600))
        let hasty = OriginCall(origin: Desk.api, pauseMax: .seconds(1))
        let soon = desk.now.advanced(by: .milliseconds(500))
        let opening = desk.board.opening(of: Desk.api, after: soon, pauseMax: .seconds(1), now: desk.now)
        #expect(opening.since(desk.now) == .seconds(1))
        guard case .wait(let until, _) = desk.board.admit(hasty, now: desk.now) else {
            Issue.record("It has to wait for a second.")
            return
        }
        #expect(until.since(desk.now) == .milliseconds(1_010))
        desk.pass(1)
        #expect(desk.board.admit(hasty, now: desk.now) == .pass(isProbe: false))
        #expect((desk.wait() ?? 0) >= 599)
    }

    @Test func `keeps the later end of two, and begins the line anew`() {
        var desk = Desk()
        desk.call(.reached, pause: .seconds(10))
        guard case .pass = desk.ask(heedsCoolDown: false) else { return }
        desk.board.settle(
            .init(origin: Desk.api, isProbe: false), .init(kind: .reached, status: 429, pause: .seconds(5)),
            now: desk.now)
        #expect(desk.wait() == 10)
        desk.pass(11)
        desk.call(.reached, pause: .seconds(3))
        #expect(desk.wait() == 3)
    }

    @Test func `spreads a crowd over a minute at most`() {
        let desk = Desk()
        desk.call(.reached, pause: .seconds(30))
        let waits = (0..<20_000).compactMap { _ in desk.wait() }
        #expect(waits.count == 20_000)
        #expect(waits.min() == 30)
        #expect((waits.max() ?? 0) < 90)
        // Never more than a few in the same instant.
        let crowd = Dictionary(grouping: waits) { $0 }.values.map(\.count).max() ?? 0
        #expect(crowd <= 4)
    }

    @Test func `delays retries, too`() {
        let desk = Desk()
        desk.call(.reached, pause: .seconds(30))
        let soon = desk.now.advanced(by: .seconds(1))
        let late = desk.now.advanced(by: .seconds(100))
        #expect(desk.board.opening(of: Desk.api, after: soon, now: desk.now).since(desk.now) == .seconds(30))
        #expect(
            desk.board.opening(of: Desk.api, after: late, now: desk.now).since(desk.now)
                == .milliseconds(100_010))
        #expect(desk.board.opening(of: "https://b.example", after: soon, now: desk.now) == soon)
    }

    @Test(arguments: [
        (429, [("Retry-After", "7")], Duration.seconds(7)),
        (503, [("RateLimit", "\"a\";r=0;t=9")], .seconds(9)),
        (503, [("RateLimit", "\"a\";r=0;t=9"), ("ratelimit", "\"b\";r=0;t=12")], .seconds(12)),
        (429, [("Retry-After-Ms", "250"), ("Retry-After", "1")], .milliseconds(250)),
        (
            429,
            [("X-RateLimit-Remaining-Tokens", "0"), ("X-RateLimit-Reset-Tokens", "1m2.5s")],
            .milliseconds(62_500)
        ),
        (
            429,
            [
                ("Anthropic-RateLimit-Tokens-Remaining", "0"),
                ("Anthropic-RateLimit-Tokens-Reset", "2400-01-01T00:00:00Z"),
            ], nil
        ),
        (200, [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "9s")], nil),
        (429, [("Retry-After", "1795255260")], nil), (429, [], nil), (500, [("Retry-After", "7")], nil),
        (200, [("RateLimit", "\"a\";r=0;t=9")], nil),
    ])
    func `is known by its answer`(status: Int, fields: [(String, String)], pause: Duration?) {
        let answer = HTTPCallAnswer(
            status: status, fields: fields.map { (name: $0.0, value: $0.1) }, body: [],
            exchange: HTTPCallExchange())
        #expect(OriginOutcome(answer, at: Desk().now).pause == pause)
    }
}

@Suite struct `The breaker of an origin` {
    @Test func `opens when half of twenty calls failed, and not before`() {
        let desk = Desk()
        desk.calls(10, .reached)
        desk.calls(9, .failed)
        #expect(desk.wait() == nil)
        desk.call(.failed)
        #expect(desk.view?.state == .broken)
        #expect(desk.wait() == 30)
        let other = Desk()
        other.calls(19, .failed)
        #expect(other.view?.state == .open)
        other.calls(1, .failed)
        #expect(other.view?.state == .broken)
        #expect(other.view?.reason?.contains("20 of its last 20") == true)
    }

    @Test func `counts only the last minute, and no neutral outcomes`() {
        var desk = Desk()
        desk.calls(15, .failed)
        desk.pass(61)
        desk.calls(10, .failed)
        desk.calls(30, .unknown)
        #expect(desk.view?.state == .open)
        #expect(desk.view?.calls == 10)
    }

    @Test func `lets one call find out, and closes when it succeeds`() {
        var desk = Desk()
        desk.calls(20, .failed)
        desk.pass(30)
        #expect(desk.ask() == .pass(isProbe: true))
        #expect(desk.wait() != nil)
        #expect(desk.view?.state == .probing)
        desk.board.settle(.init(origin: Desk.api, isProbe: true), .init(kind: .reached), now: desk.now)
        #expect(desk.view?.state == .open)
        #expect(desk.wait() == nil)
        desk.calls(19, .failed)
        #expect(desk.view?.state == .open)
    }

    @Test func `stays open for longer each time the call fails, up to five minutes`() {
        var desk = Desk()
        desk.calls(20, .failed)
        var lengths: [Double] = []
        for _ in 0..<6 {
            let wait = desk.wait() ?? 0
            lengths.append(wait)
            desk.pass(wait)
            desk.call(.failed)
        }
        #expect(lengths == [30, 60, 120, 240, 300, 300])
    }

    @Test func `lets another call probe when the outcome of the first is unknown`() {
        var desk = Desk()
        desk.calls(20, .failed)
        desk.pass(30)
        desk.call(.unknown)
        #expect(desk.ask() == .pass(isProbe: true))
        desk.pass(59)
        #expect(desk.wait() != nil)
        desk.pass(1)
        #expect(desk.ask() == .pass(isProbe: true))
    }

    @Test func `ignores calls that began before it opened`() {
        let desk = Desk()
        for _ in 0..<30 { _ = desk.ask() }
        for _ in 0..<30 {
            desk.board.settle(.init(origin: Desk.api, isProbe: false), .init(kind: .failed), now: desk.now)
        }
        #expect(desk.wait() == 30)
        desk.board.settle(.init(origin: Desk.api, isProbe: false), .init(kind: .reached), now: desk.now)
        #expect(desk.view?.state == .broken)
    }

    @Test(arguments: [
        ("connect.refused", OriginOutcome.Kind.failed), ("timeout.first_byte", .failed),
        ("dns.not_found", .failed),
        ("body.truncated", .failed), ("egress.blocked", .unknown), ("cancelled.transport", .unknown),
        ("http.url", .unknown), ("body.too_large", .unknown),
    ])
    func `counts failures of the upstream alone`(code: String, kind: OriginOutcome.Kind) {
        let failure = HTTPCallFailure(code: code, detail: "x", phase: .connect, delivery: .notSent)
        #expect(OriginOutcome(failure).kind == kind)
    }

    @Test(arguments: [(200, false), (404, false), (429, false), (500, true), (503, true), (501, false)])
    func `counts answers of class 5 that may pass`(status: Int, isFailure: Bool) {
        let answer = HTTPCallAnswer(status: status, fields: [], body: [], exchange: HTTPCallExchange())
        #expect(OriginOutcome(answer, at: Desk().now).kind == (isFailure ? .failed : .reached))
    }
}

@Suite struct `The retry budget of an origin` {
    @Test func `lets a few through however few calls there are, and first calls always`() {
        var desk = Desk { $0.breaks = false }
        for _ in 0..<100 { #expect(desk.call(.failed, isRetry: true)) }
        #expect(desk.wait(isRetry: true) == 1)
        #expect(desk.wait(isRetry: true) == 1.1)
        #expect(desk.wait() == nil)
        desk.pass(11)
        #expect(desk.wait(isRetry: true) == nil)
    }

    @Test func `is a fifth of the first calls when there are many`() {
        let desk = Desk { $0.breaks = false }
        for _ in 0..<1_000 { desk.call(.reached) }
        let passed = (0..<500).count { _ in desk.call(.failed, isRetry: true) }
        #expect(passed == 200)
        #expect(desk.view?.retriesAllowed == 200)
    }
}

@Suite struct `A board of origins` {
    @Test func `holds nothing back when its rules are off`() {
        let board = OriginBoard(rules: .none)
        let now = Desk().now
        for _ in 0..<100 {
            #expect(board.admit(.init(origin: Desk.api, isRetry: true), now: now) == .pass(isProbe: false))
            board.settle(
                .init(origin: Desk.api, isProbe: false),
                .init(kind: .failed, status: 503, pause: .seconds(9)),
                now: now)
        }
        #expect(board.views(now: now).isEmpty)
    }

    @Test func `forgets origins without calls, and never holds more than its limit`() {
        var desk = Desk { $0.originsMax = 50 }
        desk.calls(20, .failed)
        for number in 0..<40 { settle("https://\(number).example", desk) }
        desk.pass(700)
        settle("https://late.example", desk)
        #expect(desk.board.views(now: desk.now).map(\.origin) == ["https://late.example"])
        for number in 0..<500 {
            desk.pass(0.001)
            settle("https://\(number).example", desk)
        }
        #expect(desk.board.views(now: desk.now).count == 50)
    }

    private func settle(_ origin: String, _ desk: Desk) {
        _ = desk.ask(origin)
        desk.board.settle(.init(origin: origin, isProbe: false), .init(kind: .reached), now: desk.now)
    }

    @Test func `lists delaying origins first, and can be reset`() {
        let desk = Desk()
        settle("https://a.example", desk)
        desk.calls(20, .failed)
        #expect(desk.board.views(now: desk.now).map(\.origin) == [Desk.api, "https://a.example"])
        #expect(desk.board.reset(Desk.api))
        #expect(desk.wait() == nil)
        #expect(!desk.board.reset("https://nobody.example"))
    }
}
