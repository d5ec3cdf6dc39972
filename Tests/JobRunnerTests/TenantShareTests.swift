import HTTPMessage
import JobKit
@testable import JobRunner
@testable import JobStore
import MemoryStore
import Synchronization
import Testing

@Suite struct `A tenant with a backlog` {
    private static func call(_ host: String) -> String {
        #"{"type": "network", "request": "https://\#(host).example/"}"#
    }

    @Test(.timeLimit(.minutes(1)))
    func `leaves slots to others, and goes on when its runs end`() async throws {
        let isHeld = Mutex(true)
        var settings = RunnerSettings()
        settings.limits.concurrency = 4
        let bench = try await Bench(settings: settings) { call, _ in
            while call.url.utf8.starts(with: "https://acme".utf8), isHeld.withLock({ $0 }) {
                await Task.yield()
            }
            return .json(200, "{}")
        }
        var own: [JobID] = []
        for _ in 0..<9 { own.append(try await bench.submit(Self.call("acme"), of: Tenant("acme"))) }
        try await settle(while: bench.transport.calls.count < 3)
        for host in ["beta", "gamma"] {
            let other = try await bench.submit(Self.call(host), of: host == "beta" ? Tenant("beta") : nil)
            #expect(try await bench.finished(other).state == .succeeded)
        }
        await bench.turn()
        #expect(bench.transport.calls.count == 5)
        #expect(bench.runner.slots.shares.room(of: Tenant("acme")) == 0)
        isHeld.withLock { $0 = false }
        for id in own { #expect(try await bench.finished(id).state == .succeeded) }
    }
}

@Suite struct `The writes of a run` {
    @Test func `are in the turns of its tenant`() async throws {
        let store = MemoryJobStore()
        let bench = try await Bench(store: store)
        let spec = #"{"type": "network", "request": "https://acme.example/"}"#
        let own = try await bench.submit(spec, of: Tenant("acme"))
        #expect(try await bench.finished(own).state == .succeeded)
        let count = store.writes(of: Tenant("acme"))
        #expect(count > 0)
        let other = try await bench.submit(spec)
        #expect(try await bench.finished(other).state == .succeeded)
        #expect(store.writes(of: Tenant("acme")) == count)
    }
}

@Suite struct `The slots of a runner` {
    @Test(arguments: [(1, 1), (2, 1), (3, 2), (4, 3), (512, 384)])
    func `give a tenant three quarters, at least one`(_ count: Int, _ share: Int) {
        let slots = RunSlots(count)
        var taken = 0
        while slots.takeOne(for: Tenant("acme")) { taken += 1 }
        #expect(taken == share)
        #expect(slots.take(count) == count - share)
    }

    @Test func `tell of room when a slot came back during the claim that passed a tenant over`() {
        let slots = RunSlots(2)
        let calls = Mutex(0)
        slots.onRoom { calls.withLock { $0 += 1 } }
        #expect(slots.takeOne(for: Tenant("acme")))
        let shares = slots.shares
        slots.giveBack(of: Tenant("acme"))
        #expect(calls.withLock { $0 } == 0)
        slots.notePassedOver(after: shares)
        #expect(calls.withLock { $0 } == 1)
    }
}
