@testable import DurableJobs
@testable import JobKit
@testable import JobServer
@testable import JobSpec
import JobStore
import StrictJSON
import Testing

@Suite struct `A job's body` {
    private let now = Timestamp(milliseconds: 1_700_000_000_000)

    private func record(_ state: JobState) -> JobRecord {
        JobRecord(
            id: JobID(high: 1, low: 2), name: "charge", type: "network", queue: "default", priority: 5,
            labels: [JobSpec.Label(key: "customer", value: "c-42")], state: state, attemptsMax: 5,
            createdAt: now,
            keepSucceededMilliseconds: 1, keepFailedMilliseconds: 1)
    }

    private func body(_ record: JobRecord) throws -> JSONObject {
        try #require(try JSONParser.parse(JobBody.bytes(record)).object)
    }

    @Test(arguments: JobState.allCases)
    func `is valid JSON in every state`(state: JobState) throws {
        let body = try body(record(state))
        #expect(body["state"]?.string == state.rawValue)
        #expect(body["done"]?.bool == state.isFinal)
        #expect(body["links"]?.object?["self"]?.string == "/v1/jobs/\(JobID(high: 1, low: 2))")
    }

    @Test func `explains the wait of a job`() throws {
        var waiting = record(.scheduled)
        waiting.dueAt = now.advanced(by: .seconds(60))
        let reasons = try body(waiting)["waiting_on"]?.array
        #expect(reasons?.first?.object?["kind"] == "time")
        #expect(reasons?.first?.object?["estimated_until"]?.string == waiting.dueAt?.description)
        #expect(try body(record(.queued))["waiting_on"]?.array?.first?.object?["kind"] == "queue")
        #expect(try body(record(.running))["waiting_on"] == nil)
    }

    /// A wait, its `kind` in `waiting_on`, and its text.
    private static let waits: [(OperationWait, String, String)] = [
        (OperationWait(reason: .start), "time", "send waits for its time to start."),
        (OperationWait(reason: .delay), "time", "send waits for its delay to end."),
        (OperationWait(reason: .retry), "time", "send waits for its next attempt."),
        (OperationWait(reason: .repetition), "time", "send waits for its next run."),
        (OperationWait(reason: .poll), "time", "send waits for its next poll."),
        (OperationWait(reason: .timeWindow), "time", "send waits for its time window to open."),
        (OperationWait(reason: .signal, key: "go"), "signal", "send waits for the signal go."),
        (OperationWait(reason: .callback), "callback", "send waits for a request to its callback URL."),
        (OperationWait(reason: .approval, key: "a1"), "approval", "send waits for an approval."),
        (OperationWait(reason: .grant, key: "mail"), "condition", "send waits for the grant mail."),
        (OperationWait(reason: .exclusion, key: "k"), "lock", "send waits for the exclusive key k."),
        (OperationWait(reason: .hold), "hold", "send waits for a person to release it."),
        (
            OperationWait(reason: .reachability, key: "x.example"), "condition",
            "send waits for its next try to reach x.example."
        ),
        (
            OperationWait(reason: .origin, key: "https://a.example", detail: "it is broken"), "origin",
            "send waits for its origin: it is broken."
        ),
    ]

    @Test func `has words of one kind for each wait`() {
        let reasons = WaitWords.all.map(\.reason)
        #expect(Set(reasons) == Set(OperationWait.Reason.allCases) && reasons.count == Set(reasons).count)
        #expect(Set(Self.waits.map(\.0.reason)) == Set(reasons))
    }

    @Test(arguments: waits) func `names the operation that waits, and its wait`(
        _ wait: OperationWait, _ kind: String, _ words: String
    ) throws {
        var job = record(.waiting)
        var detail = JobDetail()
        detail.waits = [.init(name: "send", path: ["mail", "send"], wait: wait, since: now)]
        job.detail = StoredDetail(detail)
        let shown = try #require(try body(job)["waiting_on"]?.array?.first?.object)
        #expect(shown["kind"]?.string == kind)
        #expect(shown["operation"] == "mail/send")
        #expect(shown["detail"]?.string == words)
        #expect(shown["since"]?.string == now.description)
        let names: [OperationWait.Reason: String] = [
            .signal: "signal", .approval: "approval_id", .grant: "grant", .reachability: "target",
            .origin: "origin",
        ]
        let others: [OperationWait.Reason: String] = [.exclusion: "locks", .callback: "handed_out"]
        let own = (others[wait.reason] ?? names[wait.reason]).map { [$0] } ?? []
        let known = ["kind", "operation", "detail", "since", "estimated_until"]
        #expect(shown.members.map(\.name).filter { !known.contains($0) } == own)
        if let name = names[wait.reason] { #expect(shown[name]?.string == wait.key) }
        if let key = wait.key, wait.reason == .exclusion { #expect(shown["locks"] == [.string(key)]) }
    }

    @Test func `names the person who holds a job, and the holder of its unique key`() throws {
        var job = record(.held)
        var detail = JobDetail()
        detail.hold = .init(by: "ada", reason: "closed", since: now)
        detail.turn = .init(key: "k", holder: JobID(high: 3, low: 4), since: now)
        job.detail = StoredDetail(detail)
        let waits = try #require(try body(job)["waiting_on"]?.array?.map(\.object))
        #expect(waits[0]?["detail"] == "Held by ada: closed. Release it with :release.")
        #expect(waits[0]?["by"] == "ada")
        #expect(waits[1]?["kind"] == "unique")
        #expect(waits[1]?["detail"]?.string?.contains(JobID(high: 3, low: 4).description) == true)
    }

    @Test func `shows the outcome of a job`() throws {
        var job = record(.succeeded)
        var result = ResultSummary(
            OperationResult(
                status: 200, headers: [.init(name: "a", value: "1"), .init(name: "a", value: "2")],
                contentType: "application/json", body: Array(#"{"n": 1}"#.utf8)),
            by: .init(inlineBytesMax: 100, digest: { "sha256:\($0.count)" }))
        var detail = JobDetail()
        detail.result = result
        detail.operations = [.succeeded: 2, .skipped: 1]
        job.detail = StoredDetail(detail)
        var shown = try body(job)
        #expect(
            shown["result"] == [
                "status": 200, "headers": ["a": "1"], "content_type": "application/json", "bytes": 8,
                "digest": "sha256:8", "inline": ["n": 1],
            ])
        #expect(
            shown["operations"] == [
                "total": 3, "done": 3, "failed": 0, "by_state": ["succeeded": 2, "skipped": 1],
            ])
        result.artifact = ArtifactReference(sha256: String(repeating: "a", count: 64), bytes: 9, name: "f")
        result.inline = []
        detail.result = result
        detail.isAbandoned = true
        job.detail = StoredDetail(detail)
        shown = try body(job)
        #expect(shown["result"]?.object?["artifact"] == ["name": "f"])
        #expect(shown["result"]?.object?["digest"]?.string == result.artifact?.digest)
        #expect(shown["abandoned"] == true)
    }

    @Test func `passes on metadata and the error of the last attempt`() throws {
        var job = record(.retrying)
        job.metadata = Array(#"{"order":7}"#.utf8)
        var detail = JobDetail()
        detail.lastError = AOperationError(.httpStatus, detail: "no")
        job.detail = StoredDetail(detail)
        job.dueAt = now
        let body = try body(job)
        #expect(body["metadata"]?.object?["order"] == 7)
        #expect(body["last_error"]?.object?["code"] == "http.status")
        #expect(body["next_attempt_at"]?.string == now.description)
        #expect(body["labels"]?.object?["customer"] == "c-42")
    }

    @Test func `is short on request`() throws {
        let short = try #require(try JSONParser.parse(JobBody.minimal(record(.failed))).object)
        #expect(short.members.map(\.name) == ["id", "state", "done"])
    }

    @Test func `has the time of the next poll`() {
        var job = record(.running)
        #expect(JobAnswer.retryAfter(job, now: now) == 1)
        #expect(JobAnswer.retryAfter(job, now: now.advanced(by: .seconds(100))) == 10)
        #expect(JobAnswer.retryAfter(job, now: now.advanced(by: .seconds(10_000))) == 30)
        job.state = .retrying
        job.dueAt = now.advanced(by: .milliseconds(4_100))
        #expect(JobAnswer.retryAfter(job, now: now) == 5)
        #expect(JobAnswer.retryAfter(record(.succeeded), now: now) == nil)
    }

    @Test func `comes from a spec with its defaults and times`() throws {
        var spec = JobSpec(
            operation: OperationSpec(NetworkSpec(url: "https://e.example"), name: "a"))
        let plain = JobIntake.record(for: spec, now: now, random: (1, 2))
        #expect(plain.state == .queued)
        #expect(plain.attemptsMax == 5)
        #expect(plain.keepSucceededMilliseconds == 7 * 86_400_000)
        #expect(plain.runAt == nil && plain.dueAt == nil)
        spec.operation.runAt = .after(.seconds(3))
        spec.operation.startBy = .after(.seconds(9))
        spec.operation.finishBy = .after(.seconds(20))
        let later = JobIntake.record(for: spec, now: now, random: (1, 2))
        #expect(later.state == .scheduled)
        #expect(later.dueAt == now.advanced(by: .seconds(3)))
        #expect(later.expiresAt == now.advanced(by: .seconds(9)))
        #expect(later.startBy == later.expiresAt && later.finishBy == now.advanced(by: .seconds(20)))
        spec.operation.runAt = .at(now.advanced(by: .seconds(-3)))
        #expect(JobIntake.record(for: spec, now: now, random: (1, 2)).state == .queued)
    }
}
