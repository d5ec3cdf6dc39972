import DurableJobs
import JobKit
@testable import JobServer
import JobSpec
import JobStore
import MemoryStore
import StrictJSON
import Testing

@Suite struct `The decision of a bulk action` {
    private func request(_ text: String) throws -> BulkRequest {
        try BulkRequest(try JSONParser.parse(Array(text.utf8)))
    }

    private func job(_ state: JobState) -> JobRecord {
        JobRecord(
            id: JobID(high: 1, low: 2), name: "n", type: "value", queue: "default", priority: 5, labels: [],
            state: state, attemptsMax: 1, createdAt: SystemTime.now(), keepSucceededMilliseconds: 1,
            keepFailedMilliseconds: 1)
    }

    /// The verdict in a word, with the code of a skip.
    private func verdict(_ text: String, _ job: JobRecord) throws -> String {
        let intake = Intake(queues: try StoredQueues(MemoryJobStore(), MemoryJobStore().makeReader()))
        let decision = BulkDecision(request: try request(text), by: "ada", intake: intake)
        switch decision.verdict(job, at: SystemTime.now()) {
        case .cancel: return "cancel"
        case .retry: return "retry"
        case .post: return "post"
        case .erase: return "erase"
        case .submit: return "submit"
        case .skip(let code, _): return code
        case .reading: return "reading"
        }
    }

    @Test func `leaves a job alone whose state is not the one in the filter any more`() throws {
        let body = #"{"action":"cancel","filter":{"state":"queued,scheduled"}}"#
        #expect(try verdict(body, job(.queued)) == "cancel")
        #expect(try verdict(body, job(.running)) == "bulk.no_match")
        let ended = #"{"action":"retry","filter":{"finished_to":"2026-01-01T00:00:00Z"}}"#
        #expect(try verdict(ended, job(.queued)) == "bulk.no_match")
        var old = job(.failed)
        old.finishedAt = Timestamp("2025-12-31T00:00:00Z")
        #expect(try verdict(ended, old) == "retry")
        #expect(
            try verdict(#"{"action":"retry","filter":{"error.code":"http.status"}}"#, old) == "bulk.no_match")
        old.detail = StoredDetail(JobDetail(errors: [AOperationError("http.status", detail: "500")]))
        #expect(try verdict(#"{"action":"retry","filter":{"error.code":"http.status"}}"#, old) == "retry")
    }

    @Test(arguments: [
        ("hold", JobState.held, "bulk.unchanged"), ("hold", .queued, "post"),
        ("release", .held, "post"), ("release", .queued, "bulk.unchanged"),
        ("erase", .queued, "job.not_finished"), ("erase", .succeeded, "erase"),
        ("requeue", .running, "job.not_finished"), ("requeue", .succeeded, "reading"),
        ("cancel", .cancelling, "bulk.unchanged"), ("cancel", .running, "cancel"),
    ])
    func `is that of the single action`(_ action: String, _ state: JobState, _ expected: String) throws {
        #expect(try verdict(#"{"action":"\#(action)","ids":[]}"#, job(state)) == expected)
    }

    @Test func `is the same from the stored request`() throws {
        let text =
            #"{"action":"hold","filter":{"labels":{"a":"b"},"state":["queued"]},"per_second":5,"reason":"r"}"#
        let stored = JSONValue.object(try request(text).stored).encoded()
        let read = try #require(BulkRequest.readStored(stored))
        #expect(read.action == .hold)
        #expect(read.reason == "r")
        #expect(read.perSecond == 5)
        guard case .filter(let query) = read.jobs else {
            Issue.record("no filter")
            return
        }
        #expect(query.states == [.queued])
        #expect(query.labels.map(\.value) == ["b"])
        #expect(BulkRequest.readStored(Array(#"{"action":"fly"}"#.utf8))?.action == nil)
        let ids = try request(#"{"action":"cancel","ids":["job_01k9f3m8q4fj8s8e4rd0n3v2xy"]}"#)
        #expect(BulkRequest.readStored(JSONValue.object(ids.stored).encoded())?.action == .cancel)
    }
}
