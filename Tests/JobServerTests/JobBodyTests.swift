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
        #expect(body["outcome"]?.string == state.outcome)
        #expect(body["links"]?.object?["self"]?.string == "/v1/jobs/\(JobID(high: 1, low: 2))")
    }

    @Test func `says what a job waits for`() throws {
        var waiting = record(.scheduled)
        waiting.dueAt = now.advanced(by: .seconds(60))
        let reasons = try body(waiting)["waiting_on"]?.array
        #expect(reasons?.first?.object?["kind"] == "time")
        #expect(reasons?.first?.object?["estimated_until"]?.string == waiting.dueAt?.description)
        #expect(try body(record(.queued))["waiting_on"]?.array?.first?.object?["kind"] == "queue")
        #expect(try body(record(.running))["waiting_on"] == nil)
    }

    @Test func `hands on metadata and what the engine wrote`() throws {
        var job = record(.retrying)
        job.metadata = Array(#"{"order":7}"#.utf8)
        job.detail = Array(#""last_error":{"code":"http.status"},"waiting_on":[{"kind":"time"}]"#.utf8)
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

    @Test func `tells when to ask again`() {
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
        spec.start = .after(.seconds(3))
        spec.expiresAfter = .seconds(9)
        let later = JobIntake.record(for: spec, now: now, random: (1, 2))
        #expect(later.state == .scheduled)
        #expect(later.dueAt == now.advanced(by: .seconds(3)))
        #expect(later.expiresAt == now.advanced(by: .seconds(9)))
        spec.start = .at(now.advanced(by: .seconds(-3)))
        #expect(JobIntake.record(for: spec, now: now, random: (1, 2)).state == .queued)
    }
}
