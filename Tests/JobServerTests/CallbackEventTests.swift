import JobKit
import JobStore
import StrictJSON
import Testing

@testable import JobServer
import JobSpec

@Suite struct `The event of a callback` {
    /// A job that failed, with this detail.
    private func job(_ detail: JobDetail, metadata: String = "") -> JobRecord {
        var job = JobRecord(
            id: JobID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001), name: "nightly",
            type: "group",
            queue: "default", priority: 5, labels: [.init(key: "team", value: "\"finance\"")], state: .failed,
            attemptsMax: 1, createdAt: Timestamp(milliseconds: 1_800_000_000_000),
            keepSucceededMilliseconds: 0, keepFailedMilliseconds: 0)
        job.finishedAt = Timestamp(milliseconds: 1_800_000_001_000)
        job.revision = 9
        job.detail = StoredDetail(detail)
        job.metadata = Array(metadata.utf8)
        return job
    }

    private func error(_ count: Int) -> AOperationError {
        var error = AOperationError("http.status", title: "T", detail: "D")
        let excerpt = String(repeating: "\"", count: count)
        error.upstream = .init(status: 503, headers: JSONObject(), bodyExcerpt: excerpt)
        return error
    }

    private func at(_ pointer: String, _ event: String) throws -> JSONValue? {
        JSONPointer(pointer)?.resolve(in: try JSONParser.parse(Array(event.utf8)))
    }

    @Test func `has the job in its public form`() throws {
        let job = job(JobDetail(errors: [error(9)]), metadata: #"{"a": 1}"#)
        let event = CallbackEvent.text(job)
        #expect(try at("/data", event) == JSONParser.parse(JobBody.bytes(job)))
        #expect(try at("/id", event)?.string == "\(job.id).9")
        #expect(try at("/type", event) == "jobserver.job.failed")
        #expect(try at("/time", event)?.string == job.finishedAt?.description)
    }

    @Test func `omits members that would make it too large`() throws {
        var detail = JobDetail(errors: Array(repeating: error(2_000), count: 100))
        let header = OperationResult.Header(name: "x", value: String(repeating: "h", count: 300_000))
        detail.result = ResultSummary(
            OperationResult(
                status: 200, headers: [header], contentType: nil, body: Array("content".utf8)),
            by: .init(inlineBytesMax: 0))
        detail.operations = [.failed: 100]
        let spaces = String(repeating: " ", count: 300_000)
        let job = job(detail, metadata: #"{"a":\#(spaces)1}"#)
        let event = CallbackEvent.text(job)
        #expect(event.utf8.count < 4_096)
        #expect(try at("/data/error/code", event) == "http.status")
        #expect(try at("/data/error/detail", event) == "D")
        #expect(try at("/data/error/upstream", event) == nil)
        #expect(try at("/data/errors", event) == nil)
        #expect(try at("/data/result", event) == ["status": 200, "bytes": 7])
        #expect(try at("/data/operations/total", event) == 100)
        #expect(try at("/data/metadata", event) == ["a": 1])
        #expect(try at("/data/links/self", event)?.string == "/v1/jobs/\(job.id)")
    }

    @Test func `truncates a long error`() throws {
        let long = AOperationError("own.long", title: "T", detail: String(repeating: "d", count: 300_000))
        let event = CallbackEvent.text(job(JobDetail(errors: [long])))
        let error = try #require(try at("/data/error", event)?.object)
        #expect(error["code"] == "own.long")
        #expect(error["stage"] == "execution")
        #expect(error["detail"]?.string == String(repeating: "d", count: 1_024) + "… (298976 more bytes)")
    }
}
