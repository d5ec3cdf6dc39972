import EventIO
import HTTPMessage
import JobStore
import Synchronization
import Testing

@testable import JobServer

@Suite struct `New work` {
    /// An admission over a store with the given pressure, and its log.
    private func admission(
        waiting: Int, oldest: Duration = .zero, condition: StoreCondition = .sound
    ) -> Admission {
        Admission(
            pressure: { StorePressure(waiting: waiting, oldest: oldest) }, condition: { condition },
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
            pressure: { pressure.withLock { $0 } }, condition: { .sound }, waitingMax: 100,
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

    @Test func `of the client that sends most is refused first`() {
        let busy = admission(waiting: 60)
        for _ in 0..<200 { _ = busy.problem { ada } }
        #expect(busy.problem { ada }?.kind == nil, "alone, nobody is greedy")
        #expect(busy.problem { bob }?.kind == nil)
        #expect(busy.problem { ada }?.kind == .clientLimited)
        #expect(busy.problem { bob }?.kind == nil)
    }

    @Test func `finds the last tenth free when its client had little`() {
        let waiting = Mutex(60)
        let busy = Admission(
            pressure: { StorePressure(waiting: waiting.withLock { $0 }) }, condition: { .sound },
            waitingMax: 100, delayMax: .seconds(1),
            log: Log(level: .error, sink: LogSink(output: .standardError)))
        for _ in 0..<200 { _ = busy.problem { ada } }
        waiting.withLock { $0 = 95 }
        #expect(busy.problem { ada }?.kind == .overloaded)
        #expect(busy.problem { bob }?.kind == nil)
    }
}

@Suite struct `The backlog` {
    @Test func `is how many wait by how many end in a second`() {
        let ended = Mutex(0)
        let start = ContinuousClock.now
        let gauge = BacklogGauge(waiting: { 500 }, ended: { ended.withLock { $0 } }, now: start)
        #expect(gauge.wait(now: start + .milliseconds(100)) == .zero, "nothing is known yet")
        for step in 1...40 {
            ended.withLock { $0 = step * 10 }
            _ = gauge.wait(now: start + .milliseconds(100 + step * 100))
        }
        let wait = gauge.wait(now: start + .milliseconds(4_110))
        #expect(wait > .seconds(4) && wait < .seconds(6), "\(wait)")
    }
}
