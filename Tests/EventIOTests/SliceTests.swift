import Glibc
import Testing

@testable import EventIO

@Suite struct `The longest slice of a loop` {
    private static let milli: Int64 = 1_000_000

    @Test func `is the processor time of one turn`() {
        let meter = SliceMeter()
        meter.begin(at: 0, spent: 100)
        #expect(meter.end(at: 30 * Self.milli) { 100 + 25 * Self.milli } == 25 * Self.milli)
        #expect(meter.end(at: 60 * Self.milli) { 100 + 26 * Self.milli } == Self.milli)
    }

    @Test func `asks for the processor time once in two milliseconds`() {
        let meter = SliceMeter()
        meter.begin(at: 0, spent: 0)
        var count = 0
        for turn in 1...1_000 {
            let now = Int64(turn) * 10_000
            _ = meter.end(at: now) {
                count += 1
                return now
            }
        }
        #expect(count == 5)
    }

    @Test func `is not looked for while the loop sleeps between short turns`() {
        let meter = SliceMeter()
        meter.begin(at: 0, spent: 0)
        var (now, count): (Int64, Int) = (0, 0)
        for _ in 1...1_000 {
            meter.sleep()
            now += 4 * Self.milli
            meter.wake(at: now)
            now += 10_000
            _ = meter.end(at: now) {
                count += 1
                return now
            }
        }
        #expect(count == 5)
    }

    @Test func `is at most two milliseconds too long`() {
        let meter = SliceMeter()
        meter.begin(at: 0, spent: 0)
        let before = SliceMeter.interval - 1
        #expect(meter.end(at: before) { before } == nil)
        let end = before + 20 * Self.milli
        #expect(meter.end(at: end) { end } == end)
    }

    @Test func `is told once, and a wait is no part of it`() async throws {
        try await withLoop { loop in
            await Task(executorPreference: loop) {
                let end = SliceMeter.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) + 5 * Self.milli
                while SliceMeter.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) < end {}
            }.value
            // The turn in which the task ended is over when the next one begins.
            try await loop.sleep(for: .milliseconds(3))
            try await loop.sleep(for: .milliseconds(3))
            #expect(loop.takeLongestSlice() >= .milliseconds(5))
            loop.execute { usleep(8_000) }
            try await loop.sleep(for: .milliseconds(3))
            try await loop.sleep(for: .milliseconds(3))
            #expect(loop.takeLongestSlice() < .milliseconds(5))
        }
    }
}
