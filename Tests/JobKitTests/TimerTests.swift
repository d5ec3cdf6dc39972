import Synchronization
import Testing
import TestOperations

@testable import JobKit

@Suite struct `A board of timers` {
    @Test func `gives them in the order of their ends, whatever was removed`() {
        var random = SeededRandom(seed: 7)
        var board = TimerBoard<Int>()
        var model: [UInt64: Int] = [:]
        var now = 0
        for ticket in 1...4_000 as ClosedRange<UInt64> {
            let end = now + Int.random(in: 0..<500, using: &random)
            board.add(end, ticket, until: .seconds(end))
            model[ticket] = end
            if Bool.random(using: &random), let gone = model.keys.min() {
                #expect(board.remove(gone) == model.removeValue(forKey: gone))
                #expect(board.remove(gone) == nil)
            }
            now += 1
            var last = 0
            while let (ticket, end) = board.takeFirst(by: .seconds(now)) {
                #expect(model.removeValue(forKey: ticket) == end)
                #expect(end >= last && end <= now)
                last = end
            }
            #expect(board.count == model.count)
            #expect(board.earliest() == model.values.min().map { .seconds($0) })
        }
    }

    @Test func `keeps no more rest than timers, and looks at each a few times`() {
        var board = TimerBoard<Int>()
        let count: UInt64 = 10_000
        for ticket in 1...count { board.add(0, ticket, until: .seconds(Int64(count - ticket))) }
        for ticket in 1...count {
            _ = board.remove(ticket)
            #expect(board.entryCount <= 2 * board.count + 64)
        }
        // Sixteen levels to rise, and each rest is looked at twice.
        #expect(board.steps < Int(count) * 20)
    }
}

@Suite struct `The timers of the system` {
    private let timers = SystemTimers()
    private let clock = SystemClock()

    @Test func `wake in the order of their ends, also when a later one was set first`() async throws {
        let woken = Mutex<[Int]>([])
        let begin = clock.uptime
        for step in [9, 3, 6, 1] {
            // So late that a busy machine has set all of them before the first ends.
            timers.set(timers.newTicket(), until: begin + .milliseconds(100 + step)) {
                woken.withLock { $0.append(step) }
            }
        }
        try await timers.sleep(until: begin + .milliseconds(112))
        #expect(woken.withLock { $0 } == [1, 3, 6, 9])
    }

    @Test func `keep nothing of sleeps that were cancelled`() async {
        let sleeps = (0..<300).map { _ in
            Task { try await timers.sleep(until: clock.uptime + .seconds(3_600)) }
        }
        for sleep in sleeps { sleep.cancel() }
        for sleep in sleeps { await #expect(throws: CancellationError.self) { try await sleep.value } }
        #expect(timers.entryCount <= 64)
    }

    @Test func `call nothing that was cancelled`() async throws {
        // On a busy machine some may end before they are cancelled: once more then.
        for _ in 0..<1_000 {
            let calls = Atomic<Int>(0)
            let end = clock.uptime + .milliseconds(20)
            let tickets = (0..<100).map { _ in timers.newTicket() }
            for ticket in tickets { timers.set(ticket, until: end) { calls.add(1, ordering: .relaxed) } }
            for ticket in tickets.dropLast() { timers.cancel(ticket) }
            let isInTime = clock.uptime < end
            try await timers.sleep(until: end + .milliseconds(1))
            guard isInTime else { continue }
            return #expect(calls.load(ordering: .relaxed) == 1)
        }
        Issue.record("The machine was never fast enough.")
    }

    @Test func `wait for a date although their time is over`() async throws {
        let date = clock.now.advanced(by: .milliseconds(15))
        try await timers.sleep(until: clock.uptime, date: date)
        #expect(clock.now >= date)
    }
}
