@testable import JobKit
import Testing

@Suite struct `What is kept about an origin` {
    private let now = Timestamp(milliseconds: 1_000_000)
    private let origin = "https://api.example"

    private func call(_ board: OriginBoard, _ outcome: OriginOutcome, at now: Timestamp) {
        let call = OriginCall(origin: origin, caller: OriginCaller(job: "j", path: []), isRetry: false)
        guard case .pass(let isProbe) = board.admit(call, now: now) else { return }
        board.settle(OriginPass(origin: origin, isProbe: isProbe), outcome, now: now)
    }

    @Test func `is adopted by others, survives its coding, and is told once`() throws {
        let first = OriginBoard()
        call(first, OriginOutcome(kind: .reached, status: 429, pause: .seconds(60)), at: now)
        let news = first.takeNews(now: now)
        #expect(news.count == 1)
        #expect(first.takeNews(now: now).isEmpty)
        let told = try #require(news.first)
        #expect(told.until == now.advanced(by: .seconds(60)))
        #expect(OriginClosing(told.bytes) == told)
        #expect(OriginClosing([1, 2]) == nil)
        let second = OriginBoard()
        second.adopt(told, now: now)
        #expect(!second.isOpen(origin, now: now))
        #expect(second.takeNews(now: now).isEmpty)
        second.reset(origin)
        let reset = try #require(second.takeNews(now: now).first)
        #expect(reset.until == nil)
        first.adopt(reset, now: now)
        #expect(first.isOpen(origin, now: now))
        #expect(first.takeNews(now: now).isEmpty)
        second.adopt(told, now: now.advanced(by: .seconds(61)))
        #expect(second.isOpen(origin, now: now.advanced(by: .seconds(61))))
    }

    @Test func `includes an open breaker, and not each longer pause`() throws {
        let board = OriginBoard()
        for _ in 0..<20 { call(board, OriginOutcome(kind: .failed), at: now) }
        let told = try #require(board.takeNews(now: now).first)
        #expect(told.breaker?.failures == 20)
        let other = OriginBoard()
        other.adopt(try #require(OriginClosing(told.bytes)), now: now)
        #expect(other.reason(of: origin, now: now) == .breaker(failures: 20, calls: 20))
        let paused = OriginBoard()
        call(paused, OriginOutcome(kind: .reached, status: 503, pause: .seconds(60)), at: now)
        _ = paused.takeNews(now: now)
        let call = OriginCall(
            origin: origin, caller: OriginCaller(job: "j", path: []), isRetry: false, heedsCoolDown: false)
        for step in 1...3 {
            let time = now.advanced(by: .milliseconds(400 * Int64(step)))
            #expect(paused.admit(call, now: time) == .pass(isProbe: false))
            paused.settle(
                OriginPass(origin: origin, isProbe: false),
                OriginOutcome(kind: .reached, status: 503, pause: .seconds(60)), now: time)
            #expect(paused.takeNews(now: time).count == (step == 3 ? 1 : 0))
        }
    }

    @Test(arguments: 1...5) func `is divided so that all parts are the whole`(_ count: Int) {
        let limits = FlowLimits(concurrency: 7, rate: RateLimit(count: 10, per: .seconds(1), burst: 5))
        let parts = (0..<count).map { OriginShare(place: $0, of: count).part(of: limits) }
        #expect(parts.compactMap(\.concurrency).reduce(0, +) == 7)
        #expect(parts.allSatisfy { $0.rate?.per == .seconds(count) && $0.rate?.count == 10 })
        #expect(OriginShare(place: 2, of: 3).part(of: FlowLimits(concurrency: 1)).concurrency == 1)
    }
}
