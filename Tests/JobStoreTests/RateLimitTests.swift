import JobKit
import Testing

@Suite struct `A rate limit` {
    private let noon = Timestamp(milliseconds: 1_800_000_000_000)

    /// The times in milliseconds from noon at which something begins that always waits, and asks at `asks`.
    private func starts(_ limit: RateLimit, asking asks: [Int64]) -> [Int64] {
        var state = RateState()
        var starts: [Int64] = []
        for ask in asks {
            let now = Timestamp(milliseconds: noon.milliseconds + ask)
            while limit.admits(state, now: now) {
                state = limit.taking(state, now: now, ready: noon)
                starts.append(ask)
            }
        }
        return starts
    }

    private func mostInWindow(_ starts: [Int64], _ window: Int64) -> Int {
        starts.indices.map { first in starts[first...].prefix { $0 <= starts[first] + window }.count }.max()
            ?? 0
    }

    @Test(arguments: [(50, 1), (50, 5), (50, 50), (7, 3), (1_000, 100)])
    func `lets no window have more than count and burst`(_ count: Int, _ burst: Int) {
        let limit = RateLimit(count: count, per: .seconds(1), burst: burst)
        var random = SystemRandomNumberGenerator()
        var asks: [Int64] = []
        var time: Int64 = 0
        while time < 20_000 {
            time += Int64.random(in: 1...(time > 9_000 ? 90 : 9), using: &random)
            // A pause in which the burst comes back.
            if (8_000...9_500).contains(time) { continue }
            asks.append(time)
        }
        #expect(mostInWindow(starts(limit, asking: asks), 1_000) <= count + burst)
    }

    @Test(arguments: [10, 50, 200, 2_000]) func `keeps its pace when it is asked late`(_ count: Int) {
        let limit = RateLimit(count: count, per: .seconds(1))
        var asks: [Int64] = []
        var time: Int64 = 0
        while time < 60_000 {
            time += Int64.random(in: 1...12)
            asks.append(time)
        }
        let found = Double(starts(limit, asking: asks).count)
        #expect(abs(found / Double(60 * count) - 1) < 0.02)
    }

    @Test func `lets a burst begin at once after a pause, and then one at a time`() {
        let limit = RateLimit(count: 10, per: .seconds(1), burst: 3)
        var state = RateState()
        for _ in 0..<3 {
            #expect(limit.admits(state, now: noon))
            state = limit.taking(state, now: noon, ready: noon)
        }
        #expect(limit.room(state, now: noon) == 0)
        #expect(limit.opening(state, now: noon) == noon.advanced(by: .milliseconds(100)))
        #expect(limit.room(state, now: noon.advanced(by: .milliseconds(250))) == 2)
        #expect(limit.room(state, now: noon.advanced(by: .seconds(9))) == 3)
    }

    @Test func `lets no more than its burst begin at once, however late it is asked`() {
        for burst in [2, 5] {
            let limit = RateLimit(count: 50, per: .seconds(1), burst: burst)
            #expect(starts(limit, asking: [20_000]).count == burst)
        }
    }

    @Test func `is not blocked for long by a clock that is set back`() {
        let limit = RateLimit(count: 1, per: .seconds(10))
        let state = limit.taking(RateState(), now: noon.advanced(by: .seconds(3_600)), ready: noon)
        #expect(limit.opening(state, now: noon) <= noon.advanced(by: .seconds(10)))
    }

    @Test func `has as its burst what it gives in a tenth of a second`() {
        #expect(RateLimit(count: 50, per: .seconds(1)).burst == 5)
        #expect(RateLimit(count: 5, per: .seconds(1)).burst == 1)
        #expect(RateLimit(count: 600, per: .seconds(60)).burst == 1)
    }
}
