import EventIO
import HTTPMessage
import JobJournal
import JobKit
import MemoryStore
import StrictJSON
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `A job that asks for an approval` {
    private static let payment = #"""
        {"type": "network", "name": "pay", "request": {"method": "POST", "url": "https://x.example/pay",
         "headers": {"X-Api-Key": "abc"}, "json": {"amount": 7}, "auth": {"type": "bearer", "token": "s3cret"}},
         "conditions": [APPROVAL]}
        """#

    private static func spec(_ condition: String = #"{"type": "approval", "prompt": "Pay?"}"#) -> String {
        payment.replacing("APPROVAL", with: condition)
    }

    private func bench(_ store: (any JobStore)? = nil, time: ManualClock? = nil) async throws -> Bench {
        try await Bench(store: store, settings: .asking, time: time)
    }

    @Test func `is suspended and continues when a person approves`() async throws {
        let bench = try await bench()
        let id = try await bench.submit(Self.spec())
        let asked = try await bench.approval(of: id)
        let waiting = try await bench.wait(for: id) { $0 == .pending }
        let wait = waiting.detail.values.waits.first?.wait
        #expect(wait?.reason == .approval)
        #expect(wait?.key == asked.request.id.description)
        #expect(waiting.startedAt == nil)
        #expect(bench.runner.runningCount == 0)
        #expect(bench.transport.calls.isEmpty)
        try await bench.decide(asked.request.id, true)
        #expect(try await bench.finished(id).state == .succeeded)
        #expect(bench.transport.calls.count == 1)
        #expect(await bench.refusal(asked.request.id) == .approvalClosed(.approved))
    }

    @Test func `shows the request as it will be sent, without credentials`() async throws {
        let bench = try await bench()
        let id = try await bench.submit(Self.spec())
        let request = try await bench.approval(of: id).request
        #expect(request.request["method"] == "POST")
        #expect(request.request["url"] == "https://x.example/pay")
        #expect(request.request["body"] == #"{"amount":7}"#)
        let headers = request.request["headers"]?.object
        #expect(headers?["authorization"] == "(hidden)")
        #expect(headers?["x-api-key"] == "(hidden)")
        #expect(headers?["content-type"] == "application/json")
        #expect(request.digest.utf8.starts(with: "sha256:".utf8))
        #expect(request.question.prompt == "Pay?")
    }

    @Test func `fails with the name and reason of the rejection`() async throws {
        let bench = try await bench()
        let id = try await bench.submit(Self.spec())
        let asked = try await bench.approval(of: id)
        try await bench.decide(asked.request.id, false, comment: "too much")
        let record = try await bench.finished(id)
        let error = record.error
        #expect(record.state == .failed)
        #expect(error?.code.description == "approval.rejected")
        #expect(error?.stage.rawValue == "condition")
        #expect(error?.publisher == "approval")
        let info = error?.publishedError?.info
        #expect(info?["by"] == "ada")
        #expect(info?["comment"] == "too much")
        #expect(info?["approval_id"]?.string == asked.request.id.description)
        #expect(bench.transport.calls.isEmpty)
    }

    @Test(arguments: [("fail", JobState.failed), ("continue", .succeeded)])
    func `that expires ends according to on_timeout`(word: String, state: JobState)
        async throws
    {
        let bench = try await bench(time: ManualClock())
        let id = try await bench.submit(
            Self.spec(
                #"{"type": "approval", "prompt": "Pay?", "timeout": "600ms", "on_timeout": "\#(word)"}"#))
        let asked = try await bench.approval(of: id)
        let record = try await bench.finishedInTime(id)
        #expect(record.state == state)
        let code = record.error?.code.description
        #expect(code == (state == .failed ? "approval.expired" : nil))
        let closed = try bench.store.makeReader().approval(asked.request.id)
        #expect(closed?.written == (state == .failed ? .expired : .approved))
    }

    @Test func `expires while no server runs`() async throws {
        let time = ManualClock()
        let store = MemoryJobStore(clock: time)
        let first = try await bench(store, time: time)
        let id = try await first.submit(
            Self.spec(#"{"type": "approval", "prompt": "Pay?", "timeout": "300ms"}"#))
        let asked = try await first.approval(of: id)
        _ = try await first.wait(for: id) { $0 == .pending }
        first.kill()
        time.advance(by: .milliseconds(320))
        #expect(await first.refusal(asked.request.id) == .approvalClosed(.expired))
        let next = try await bench(store, time: time)
        let record = try await next.finished(id)
        #expect(record.error?.code.description == "approval.expired")
    }

    @Test func `keeps its request across a restart, and learns of an answer in between`() async throws {
        let store = MemoryJobStore()
        let first = try await bench(store)
        let id = try await first.submit(Self.spec())
        let asked = try await first.approval(of: id)
        _ = try await first.wait(for: id) { $0 == .pending }
        first.kill()
        let second = try await bench(store)
        try await store.perform(JobWake([id], at: second.now))
        _ = try await second.wait(for: id) { $0 == .pending }
        second.kill()
        _ = try await second.reply {
            (reply: @escaping StoreReply<ApprovalReceipt>) in
            store.perform(ApprovalDecision.yes(to: asked.request.id, at: second.now), reply: reply)
        }
        let third = try await bench(store)
        #expect(try await third.finished(id).state == .succeeded)
        #expect(try third.approvals(of: id).map(\.request.id) == [asked.request.id])
        #expect(third.transport.calls.count == 1)
    }

    @Test func `has its question withdrawn when it is cancelled`() async throws {
        let bench = try await bench()
        let id = try await bench.submit(Self.spec())
        let asked = try await bench.approval(of: id)
        _ = try await bench.wait(for: id) { $0 == .pending }
        _ = try await bench.cancel(id)
        #expect(await bench.refusal(asked.request.id) == .approvalClosed(.withdrawn))
        #expect(try bench.store.makeReader().job(id)?.state == .cancelled)
    }

    @Test func `asks again after another try with other values, and not with the same`() async throws {
        let bench = try await Bench(settings: .asking) { call, before in
            if call.url.hasSuffix("/price") { return .json(200, "{\"amount\": \(before == 0 ? 7 : 8)}") }
            return call.url.hasSuffix("/pay") && before == 0 ? .json(400, "{}") : .json(200, "{}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
              {"type": "network", "name": "price", "request": "https://x.example/price"},
              {"type": "network", "name": "pay", "request": {"method": "POST", "url": "https://x.example/pay",
               "json": {"$get": "price", "at": "/body/amount"}},
               "conditions": [{"type": "approval", "prompt": "Pay?"}]}]}
            """#)
        try await bench.decide(try await bench.approval(of: id).request.id, true)
        #expect(try await bench.finished(id).state == .failed)
        try await bench.retry(id)
        #expect(try await bench.finished(id).state == .succeeded)
        #expect(try bench.approvals(of: id).count == 1)
    }

    private static let pay = #"""
        "request": {"method": "POST", "url": "https://x.example/pay", "idempotency_key": "auto"}
        """#
    private static let approval = #""conditions": [{"type": "approval", "prompt": "Pay?"}]"#

    @Test(arguments: [
        ("", #"{"type": "network", \#(pay), \#(approval)}"#),
        ("", #"{"type": "group", \#(approval), "operations": [{"type": "network", "name": "a", \#(pay)}]}"#),
        (#"\#(approval), "#, #"{"type": "network", \#(pay)}"#),
    ])
    func `asks again before an approved and finished operation is repeated`(
        outer: String, inner: String
    ) async throws {
        let bench = try await bench()
        let id = try await bench.submit(
            #"""
            {"type": "repeat", \#(outer)"max_runs": 1, "until": {"at": "/state", "equals": "never"},
             "operation": \#(inner)}
            """#)
        let first = try await bench.approval(of: id).request.id
        try await bench.decide(first, true)
        #expect(try await bench.finished(id).state == .failed)
        try await bench.retry(id)
        _ = try await bench.wait(for: id) { $0 == .waiting || $0 == .pending || $0.isFinal }
        let open = try bench.approvals(of: id).filter { $0.request.id != first }
        #expect(open.count == 1)
        #expect(bench.transport.calls.count == 1)
        for approval in open { try await bench.decide(approval.request.id, true) }
        #expect(try await bench.finished(id).state == .failed)
        #expect(bench.transport.calls.count == 2)
    }

    @Test func `asks again when its inputs have changed`() async throws {
        let bench = try await Bench(settings: .asking) { call, before in
            if call.url.hasSuffix("/price") { return .json(before == 0 ? 500 : 200, "{\"amount\": 8}") }
            return .json(200, "{}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
              {"type": "network", "name": "price", "request": "https://x.example/price",
               "retry": {"max_attempts": 1}, "on_failure": "continue"},
              {"type": "network", "name": "pay", "after": [{"operation": "price", "states": "any"}],
               "request": {"method": "POST", "url": "https://x.example/pay",
                 "json": {"$get": "price", "at": "/body/amount", "default": 7}},
               "conditions": [{"type": "approval", "prompt": "Pay?"}]},
              {"type": "network", "name": "last", "after": ["pay"],
               "request": "https://x.example/price", "expect": {"that": {"at": "/body/amount", "equals": 9}}}]}
            """#)
        let first = try await bench.approval(of: id).request
        #expect(first.request["body"] == "7")
        try await bench.decide(first.id, false)
        #expect(try await bench.finished(id).state == .failed)
        try await bench.retry(id)
        let second = try await bench.approval(of: id, besides: first.id).request
        #expect(second.request["body"] == "8")
        #expect(second.digest != first.digest)
        try await bench.decide(second.id, true)
        _ = try await bench.finished(id)
        #expect(
            bench.transport.calls.filter { $0.url.hasSuffix("/pay") }.compactMap(\.body) == [Array("8".utf8)])
    }

    @Test func `opens nothing when it only checks, and holds only for requests approved before`() async throws
    {
        let bench = try await bench()
        let check = #"{"type": "approval", "prompt": "Pay?", "check_only": true}"#
        let id = try await bench.submit(Self.spec(check))
        let record = try await bench.finished(id)
        #expect(record.error?.code.description == "approval.unanswered")
        #expect(try bench.approvals(of: id).isEmpty)
        let twice = try await bench.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [
              {"type": "network", "name": "a", "request": {"method": "POST", "url": "https://x.example/pay"},
               "conditions": [{"type": "approval", "prompt": "Pay?"}]},
              {"type": "network", "name": "b", "request": {"method": "POST", "url": "https://x.example/pay"},
               "conditions": [\#(check)]},
              {"type": "network", "name": "c", "request": {"method": "POST", "url": "https://x.example/more"},
               "conditions": [\#(check)]}]}
            """#)
        try await bench.decide(try await bench.approval(of: twice).request.id, true)
        #expect(try await bench.finished(twice).state == .failed)
        let views = try bench.views(twice)
        #expect(views["b"]?.state == .succeeded)
        #expect(views["c"]?.errors.map(\.code) == [.approvalUnanswered])
    }

    @Test func `continues undecided when its negation or its operation does not need it`() async throws {
        let bench = try await bench()
        let no = #"{"not": {"type": "approval", "prompt": "Stop it?"}}"#
        let id = try await bench.submit(Self.spec(no))
        try await bench.decide(try await bench.approval(of: id).request.id, false)
        #expect(try await bench.finished(id).state == .succeeded)
        let group = try await bench.submit(
            #"""
            {"type": "group", "stop_when": "first_failure", "operations": [
              {"type": "value", "name": "a", "value": 1, "conditions": [{"type": "approval", "prompt": "a?"}]},
              {"type": "network", "name": "b", "request": {"method": "POST", "url": "https://x.example/pay"},
               "conditions": [{"type": "approval", "prompt": "b?"}]}]}
            """#)
        try await settle(while: bench.approvals(of: group).count < 2)
        let open = try bench.approvals(of: group)
        let (a, b) = (
            try #require(open.first { $0.path == ["a"] }), try #require(open.first { $0.path == ["b"] })
        )
        try await bench.decide(a.request.id, false)
        #expect(try await bench.finished(group).state == .failed)
        #expect(await bench.refusal(b.request.id) == .approvalClosed(.withdrawn))
    }
}

extension RunnerSettings {
    static var asking: RunnerSettings {
        var settings = RunnerSettings()
        settings.digests = PlainDigests()
        return settings
    }
}

/// Digests that only tell contents apart.
private struct PlainDigests: MessageDigests {
    func sha256(_ message: [UInt8]) -> [UInt8] {
        let hash = message.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        return (0..<32).map { UInt8(truncatingIfNeeded: hash >> ($0 % 8 * 8)) }
    }

    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] { sha256(key + message) }
}

extension ApprovalDecision {
    fileprivate static func yes(to id: ApprovalID, at time: Timestamp) -> ApprovalDecision {
        ApprovalDecision(id: id, isApproved: true, by: "ada", at: time)
    }
}

extension Bench {
    fileprivate func approvals(of job: JobID) throws -> [ApprovalRecord] {
        var query = ApprovalQuery(now: now)
        query.job = job
        return try store.makeReader().approvals(query).approvals
    }

    /// The approval that the job has opened, after waiting for it. Two of one millisecond have no order.
    fileprivate func approval(of job: JobID, besides known: ApprovalID? = nil) async throws -> ApprovalRecord
    {
        func newest() throws -> ApprovalRecord? { try approvals(of: job).first { $0.request.id != known } }
        try await settle(while: newest() == nil)
        return try #require(try newest())
    }

    fileprivate func decide(_ id: ApprovalID, _ isApproved: Bool, comment: String? = nil) async throws {
        var decision = ApprovalDecision(id: id, isApproved: isApproved, by: "ada", at: now)
        decision.comment = comment
        let message = decision.message
        let receipt = try await store.perform(decision)
        if receipt.post.isRunning {
            runner.deliver(message, number: receipt.post.number, to: receipt.approval.job)
        }
    }

    /// The reason why an approval is refused.
    fileprivate func refusal(_ id: ApprovalID) async -> JobStoreError.Code? {
        do throws(JobStoreError) {
            try await store.perform(ApprovalDecision.yes(to: id, at: now))
            return nil
        } catch {
            return error.code
        }
    }
}
