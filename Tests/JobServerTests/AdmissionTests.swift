import EventIO
import HTTPMessage
import JobStore
import Synchronization
import Testing

@testable import JobServer

@Suite struct `New work` {
    /// An admission over a store with the given pressure, and its log.
    private func admission(
        waiting: Int, oldest: Duration = .zero, silence: Duration = .zero,
        condition: StoreCondition = .sound
    ) -> Admission {
        Admission(
            pressure: { _ in StorePressure(waiting: waiting, oldest: oldest, silence: silence) },
            condition: { condition },
            waitingMax: 100, delayMax: .seconds(1),
            log: Log(level: .error, sink: LogSink(output: .standardError)))
    }

    private let ada = Client.address(IPAddress(v4: 0x0A00_0001))
    private let bob = Client.token("bob")

    @Test func `is taken while little waits`() {
        #expect(admission(waiting: 0).problem { ada }?.kind == nil)
        #expect(admission(waiting: 49).problem { ada }?.kind == nil)
        #expect(admission(waiting: 10, oldest: .milliseconds(900)).problem { ada }?.kind == nil)
    }

    @Test func `is refused when too much waits, or for too long`() {
        let full = admission(waiting: 100)
        #expect(full.problem { ada }?.kind == .overloaded)
        #expect(admission(waiting: 10, oldest: .milliseconds(1_100)).problem { ada }?.kind == .overloaded)
        #expect(full.refusals.first { $0.reason == .queue }?.count == 1)
        let names = full.refusals.map(\.reason.name)
        #expect(names == ["queue", "delay", "backlog", "storage", "share"], "they stand in /metrics")
    }

    @Test func `is refused with the reason of that moment`() throws {
        let pressure = Mutex(StorePressure(waiting: 100, oldest: .zero))
        let busy = Admission(
            pressure: { _ in pressure.withLock { $0 } }, condition: { .sound }, waitingMax: 100,
            delayMax: .seconds(1), log: Log(level: .error, sink: LogSink(output: .standardError)))
        let start = ContinuousClock.now
        func said(after milliseconds: Int) throws -> String {
            let problem = busy.problem(for: { ada }, now: start + .milliseconds(milliseconds))
            return String(decoding: try #require(problem).body(requestID: "r", instance: nil), as: UTF8.self)
        }
        #expect(try said(after: 0).contains("100 writes wait for the disk"))
        pressure.withLock { $0 = StorePressure(waiting: 10, oldest: .milliseconds(1_500)) }
        #expect(try said(after: 1).contains("Writes wait for 1500 ms"))
        pressure.withLock { $0 = StorePressure(waiting: 10, oldest: .milliseconds(1_560)) }
        #expect(try said(after: 50).contains("Writes wait for 1500 ms"), "written down a moment ago")
        #expect(try said(after: 61).contains("Writes wait for 1560 ms"))
    }

    @Test func `is refused when the store cannot take it`() {
        #expect(admission(waiting: 0, condition: .full("f")).problem { ada }?.kind == .storageFull)
        #expect(admission(waiting: 0, condition: .failing("f")).problem { ada }?.kind == .storageUnavailable)
        #expect(admission(waiting: 0, condition: .damaged("f")).problem { ada }?.kind == .storageDamaged)
    }

    @Test func `is refused because the store cannot take it, whatever waits for it`() {
        let failing = admission(waiting: 100, condition: .failing("f"))
        #expect(failing.problem { ada }?.kind == .storageUnavailable)
        // A database that does not answer is no load, either.
        let silent = admission(waiting: 9, oldest: .milliseconds(1_400), silence: .milliseconds(1_300))
        #expect(silent.problem { ada }?.kind == nil)
    }

    @Test func `of the client that sends most is refused first`() {
        let busy = admission(waiting: 60)
        for _ in 0..<200 { _ = busy.problem { ada } }
        #expect(busy.problem { ada }?.kind == nil, "alone, no client is greedy")
        #expect(busy.problem { bob }?.kind == nil)
        #expect(busy.problem { ada }?.kind == .clientLimited)
        #expect(busy.problem { bob }?.kind == nil)
    }

    @Test func `of a tenant is judged by the tenant's own writes`() {
        let (acme, beta) = (Tenant("acme"), Tenant("beta"))
        let own = Mutex((acme: 50, wait: Duration.milliseconds(1_100)))
        let busy = Admission(
            pressure: { tenant in
                let (count, wait) = own.withLock { ($0.acme, $0.wait) }
                return tenant == acme
                    ? StorePressure(waiting: count, own: count, oldest: wait)
                    : StorePressure(waiting: count, own: 0)
            }, condition: { .sound }, waitingMax: 200, delayMax: .seconds(1),
            log: Log(level: .error, sink: LogSink(output: .standardError)))
        #expect(busy.problem(for: { ada }, of: acme)?.kind == .overloaded)
        #expect(busy.problem(for: { bob }, of: beta)?.kind == nil)
        own.withLock { $0 = (100, .zero) }
        #expect(busy.problem(for: { ada }, of: acme)?.kind == .clientLimited, "it has half of all writes")
        #expect(busy.problem(for: { bob }, of: beta)?.kind == nil)
        #expect(busy.problem(for: { bob })?.kind == nil)
        own.withLock { $0 = (99, .zero) }
        #expect(busy.problem(for: { ada }, of: acme)?.kind == nil)
    }

    @Test func `finds the last tenth free when its client had little`() {
        let waiting = Mutex(60)
        let busy = Admission(
            pressure: { _ in StorePressure(waiting: waiting.withLock { $0 }) }, condition: { .sound },
            waitingMax: 100, delayMax: .seconds(1),
            log: Log(level: .error, sink: LogSink(output: .standardError)))
        for _ in 0..<200 { _ = busy.problem { ada } }
        waiting.withLock { $0 = 95 }
        #expect(busy.problem { ada }?.kind == .overloaded)
        #expect(busy.problem { bob }?.kind == nil)
    }
}

@Suite struct `The backlog` {
    /// A server with a simulated queue and count of ended jobs.
    private final class Line: Sendable {
        private let state = Mutex((waiting: 0, ended: 0))
        let start = ContinuousClock.now

        var gauge: BacklogGauge {
            BacklogGauge(
                waiting: { self.state.withLock { $0.waiting } }, ended: { self.state.withLock { $0.ended } },
                now: start)
        }

        /// The gauge's estimate after this time, with these waiting jobs and further ended ones.
        func wait(_ gauge: BacklogGauge, at milliseconds: Int, waiting: Int, ended: Int) -> Duration {
            state.withLock { $0 = (waiting, $0.ended + ended) }
            return gauge.wait(now: start + .milliseconds(milliseconds))
        }
    }

    @Test func `is how many wait by how many end in a second`() {
        let line = Line()
        let gauge = line.gauge
        #expect(line.wait(gauge, at: 100, waiting: 500, ended: 0) == .zero, "nothing is known yet")
        for step in 1...40 { _ = line.wait(gauge, at: 100 + step * 100, waiting: 500, ended: 10) }
        let wait = line.wait(gauge, at: 4_110, waiting: 500, ended: 0)
        #expect(wait > .seconds(4) && wait < .seconds(6), "\(wait)")
    }

    /// Twenty a second with a queue, until no job waits.
    private func measured(_ line: Line, _ gauge: BacklogGauge) {
        for step in 0...40 { _ = line.wait(gauge, at: step * 200, waiting: 100, ended: 4) }
    }

    @Test func `is not longer because nothing was there to do for a while`() {
        let line = Line()
        let gauge = line.gauge
        measured(line, gauge)
        let last = line.wait(gauge, at: 8_200, waiting: 0, ended: 4)
        #expect(last == .zero)
        let burst = line.wait(gauge, at: 63_200, waiting: 60, ended: 0)
        #expect(burst > .seconds(2) && burst < .seconds(4), "\(burst)")
    }

    @Test func `is not longer because the queue ran empty since the last look`() {
        let line = Line()
        let gauge = line.gauge
        measured(line, gauge)
        _ = line.wait(gauge, at: 8_200, waiting: 30, ended: 4)
        let burst = line.wait(gauge, at: 63_200, waiting: 60, ended: 34)
        #expect(burst > .seconds(2) && burst < .seconds(4), "\(burst)")
    }

    @Test func `is not longer because the queue ran empty and nothing ended`() {
        let line = Line()
        let gauge = line.gauge
        measured(line, gauge)
        _ = line.wait(gauge, at: 8_200, waiting: 5, ended: 4)
        #expect(line.wait(gauge, at: 63_200, waiting: 0, ended: 0) == .zero, "they were suspended")
        let burst = line.wait(gauge, at: 63_300, waiting: 60, ended: 0)
        #expect(burst > .seconds(2) && burst < .seconds(4), "\(burst)")
    }

    @Test func `is not longer because no job ended between two that follow each other`() {
        let line = Line()
        let gauge = line.gauge
        // One job ends in a second, with twenty looks in between.
        var longest = Duration.zero
        for step in 0..<400 {
            let wait = line.wait(gauge, at: step * 50, waiting: 10, ended: step % 20 == 19 ? 1 : 0)
            if step > 40 { longest = max(longest, wait) }
        }
        #expect(longest > .seconds(8) && longest < .seconds(12), "\(longest)")
    }

    @Test func `grows while less ends than before`() {
        let line = Line()
        let gauge = line.gauge
        measured(line, gauge)
        for step in 1...20 { _ = line.wait(gauge, at: 8_000 + step * 500, waiting: 100, ended: 1) }
        let slow = line.wait(gauge, at: 18_100, waiting: 100, ended: 0)
        #expect(slow > .seconds(40) && slow < .seconds(60), "\(slow)")
        let stuck = line.wait(gauge, at: 58_000, waiting: 100, ended: 0)
        #expect(stuck > .seconds(3_000), "\(stuck)")
    }
}
