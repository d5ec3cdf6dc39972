import HTTPMessage
import JobJournal
import JobKit
import MemoryStore
import StrictJSON
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `A job that needs a grant` {
    private static func spec(_ condition: String, name: String = "send") -> String {
        #"""
        {"type": "value", "name": "\#(name)", "value": 1, "conditions": [\#(condition)]}
        """#
    }

    private static let needsMail = #"{"type": "authorized_for", "grant": "mail", "scope": "send"}"#

    @Test func `requests it once for all jobs, suspends, and continues when granted`() async throws {
        let bench = try await Bench()
        var ids: [JobID] = []
        for _ in 0..<5 { ids.append(try await bench.submit(Self.spec(Self.needsMail))) }
        for id in ids {
            let record = try await bench.wait(for: id) { $0 == .pending }
            let wait = record.detail.values.waits.first?.wait
            #expect(wait?.reason == .grant && wait?.key == "mail")
        }
        #expect(bench.runner.runningCount == 0)
        let reader = try bench.store.makeReader()
        let asked = try #require(try reader.grant("mail"))
        #expect(asked.decided == .undetermined)
        #expect(asked.request?.scope == "send")
        #expect(try reader.waiting(for: "grant:mail", limit: 10) == ids.sorted())
        try await bench.decide("mail", .granted, scopes: ["send"])
        for id in ids { #expect(try await bench.finished(id).state == .succeeded) }
        #expect(try reader.grant("mail")?.request == nil)
    }

    private static let refusals: [(GrantStatus, String, String?)] = [
        (.denied, "condition.not_authorized", "denied"),
        (.unavailable, "condition.grant_unavailable", nil),
    ]

    @Test(arguments: refusals)
    func `fails with the decision`(status: GrantStatus, code: String, word: String?) async throws {
        let bench = try await Bench()
        let id = try await bench.submit(Self.spec(Self.needsMail))
        _ = try await bench.wait(for: id) { $0 == .pending }
        try await bench.decide("mail", status)
        let record = try await bench.finished(id)
        let error = record.error
        #expect(record.state == .failed)
        #expect(error?.code.description == code)
        #expect(error?.stage.rawValue == "condition")
        let info = error?.publishedError?.info
        #expect(info?["state"]?.string == word)
        #expect(word == nil || info?["required"] == ["send"])
    }

    @Test func `once begun, continues without the grant, also across a restart`() async throws {
        let store = MemoryJobStore()
        let first = try await Bench(store: store)
        try await first.decide("mail", .granted)
        let id = try await first.submit(
            #"""
            {"type": "group", "conditions": [\#(Self.needsMail)], "operations": [
                {"type": "await", "name": "go", "signal": "go"},
                {"type": "value", "name": "last", "value": 1, "after": ["go"], "conditions": [\#(Self.needsMail)]}],
             "finally": [{"type": "network", "name": "tidy", "request": "https://x.example/tidy"}]}
            """#)
        _ = try await first.wait(for: id) { $0 == .waiting }
        try await first.decide("mail", .denied)
        first.kill()
        let next = try await Bench(store: store)
        try await next.signal(id, "go", 1)
        #expect(try await next.finished(id).state == .failed)
        let views = try next.views(id)
        #expect(views["go"]?.state == .succeeded)
        #expect(views["last"]?.errors.map(\.code.description) == ["condition.not_authorized"])
        #expect(views["tidy"]?.state == .succeeded)
        #expect(next.transport.calls.count == 1)
    }

    @Test func `looks at the scopes, and needs none when all are granted`() async throws {
        let bench = try await Bench()
        try await bench.decide("mail", .granted, scopes: ["read"])
        let refused = try await bench.finished(try await bench.submit(Self.spec(Self.needsMail)))
        let error = refused.error
        #expect(error?.publishedError?.info["granted"] == ["read"])
        try await bench.decide("mail", .granted)
        #expect(
            try await bench.finished(try await bench.submit(Self.spec(Self.needsMail))).state == .succeeded)
    }

    @Test func `asks again for an expired grant`() async throws {
        let bench = try await Bench()
        try await bench.decide("mail", .granted, until: SystemClock().now.advanced(by: .seconds(-1)))
        let id = try await bench.submit(Self.spec(Self.needsMail))
        _ = try await bench.wait(for: id) { $0 == .pending }
        #expect(try bench.store.makeReader().grant("mail")?.request?.job == id)
        try await bench.decide("mail", .granted)
        #expect(try await bench.finished(id).state == .succeeded)
    }

    @Test func `requests nothing when it only checks`() async throws {
        let bench = try await Bench()
        let check = Self.needsMail.replacing("}", with: #", "check_only": true}"#)
        let record = try await bench.finished(try await bench.submit(Self.spec(check)))
        let error = record.error
        #expect(error?.code.description == "condition.not_authorized")
        #expect(error?.publishedError?.info["state"] == "undetermined")
        #expect(try bench.store.makeReader().grant("mail") == nil)
    }

    @Test func `waits across a restart and learns of a decision in between`() async throws {
        let store = MemoryJobStore()
        let first = try await Bench(store: store)
        let waits = try await first.submit(Self.spec(Self.needsMail))
        let other = try await first.submit(
            Self.spec(#"{"type": "authorized_for", "grant": "bank"}"#))
        for id in [waits, other] { _ = try await first.wait(for: id) { $0 == .pending } }
        first.kill()
        try await first.decide("mail", .granted)
        let second = try await Bench(store: store)
        #expect(try await second.finished(waits).state == .succeeded)
        #expect(try store.makeReader().job(other)?.state == .pending)
        try await second.decide("bank", .granted)
        #expect(try await second.finished(other).state == .succeeded)
    }

    @Test func `goes on after a restart when many wait and the decision woke only the first`() async throws {
        let store = MemoryJobStore()
        let first = try await Bench(store: store)
        var ids: [JobID] = []
        for _ in 0..<WakeReceipt.part + 3 { ids.append(try await first.submit(Self.spec(Self.needsMail))) }
        for id in ids { _ = try await first.wait(for: id) { $0 == .pending } }
        first.kill()
        try await first.decide("mail", .granted)
        #expect(store.counts()[.pending] == 3)
        let second = try await Bench(store: store)
        for id in ids { #expect(try await second.finished(id).state == .succeeded) }
    }

    @Test func `that is busy elsewhere looks at the grant while it runs`() async throws {
        let (mayEnd, end) = AsyncStream<Void>.makeStream()
        let time = ManualClock()
        let bench = try await Bench(time: time) { call, _ in
            for await _ in mayEnd {}
            return .json(200, "{}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
              {"type": "network", "name": "slow", "request": "https://x.example/slow"},
              {"type": "value", "name": "send", "value": 1, "conditions": [\#(Self.needsMail)]}]}
            """#)
        try await settle(while: bench.store.makeReader().grant("mail") == nil)
        try await bench.decide("mail", .granted)
        while try bench.views(id)["send"]?.state != .succeeded {
            time.advance(by: .milliseconds(100))
            await Task.yield()
        }
        #expect(try bench.views(id)["slow"]?.state == .running)
        end.finish()
        #expect(try await bench.finished(id).state == .succeeded)
    }
}

extension Bench {
    fileprivate func decide(
        _ name: String, _ status: GrantStatus, scopes: [String] = [], until: Timestamp? = nil
    ) async throws {
        var grant = GrantRecord(name: name)
        grant.decided = status
        grant.scopes = scopes
        grant.expiresAt = until
        try await store.perform(GrantDecision(grant, at: SystemClock().now))
    }
}
