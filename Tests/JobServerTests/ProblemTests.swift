import HTTPMessage
@testable import JobServer
import JobKit
import JobStore
import StrictJSON
import Testing

@Suite struct `A problem` {
    private func body(_ problem: Problem) throws -> JSONValue {
        let response = problem.response(requestID: "req_1", instance: Array("/v1/jobs".utf8)[...])
        guard case .bytes(let bytes) = response.body else { throw Problem(.internalError, "no body") }
        return try JSONParser.parse(bytes)
    }

    @Test func `has type, title, status, detail, code and request`() throws {
        let body = try body(Problem(.jobNotFound, "There is no job job_x."))
        #expect(body.object?["type"] == "/v1/problems/job.not_found")
        #expect(body.object?["status"] == 404)
        #expect(body.object?["code"] == "job.not_found")
        #expect(body.object?["detail"] == "There is no job job_x.")
        #expect(body.object?["instance"] == "/v1/jobs")
        #expect(body.object?["request_id"] == "req_1")
        #expect(body.object?["retryable"] == false)
        #expect(body.object?["errors"] == [])
    }

    @Test func `shows the path as it was asked for, and none that could not be read`() throws {
        let problem = PreparedProblem(Problem(.notFound, "x"))
        let strange = problem.body(requestID: "r", instance: Array("/v1/\"a\\".utf8)[...])
        #expect(try JSONParser.parse(strange).object?["instance"] == "/v1/\"a\\")
        let none = try JSONParser.parse(problem.body(requestID: "r", instance: nil)).object
        #expect(none?["instance"] == nil)
        #expect(none?["request_id"] == "r")
    }

    @Test func `lists all problems with their remedies`() throws {
        let item = Problem.Item(
            .pointer("/retyr"), code: "spec.unknown_member", detail: "not known", suggestion: "retry")
        let body = try body(Problem(.invalidSpec, "x", items: [item]))
        let first = try #require(body.object?["errors"]?.array?.first?.object)
        #expect(first["pointer"] == "/retyr")
        #expect(first["suggestion"] == "retry")
    }

    @Test func `carries further fields and members`() throws {
        let problem = Problem(.methodNotAllowed, "x").field("Allow", "GET").member(
            "job_id", Array("\"a\"".utf8))
        #expect(problem.response(requestID: "r", instance: nil).fields["allow"] == "GET")
        #expect(try body(problem).object?["job_id"] == "a")
    }

    @Test func `of the store is that of the thing that it is about`() {
        let cases: [(error: JobStoreError, kind: ProblemKind, words: String, wait: String?)] = [
            (.notFound(JobID(high: 7, low: 9)), .jobNotFound, "its retention ended.", nil),
            (.noTemplate("a"), .templateNotFound, "GET /v1/templates lists them", nil),
            (.noSchedule("a"), .scheduleNotFound, "Store it with PUT.", nil),
            (.noSetting(.queue, "a"), .queueNotFound, "Give it one with PUT.", nil),
            (.settingsFull(.secret, 3), .settingsFull, "3 are stored", nil),
            (.schedulesFull(3), .schedulesFull, "3 schedules", nil),
            (.bulksFull(3), .bulksFull, "3 bulk actions", "5"),
            (.scheduleMoved("a"), .storageUnavailable, "meanwhile. Send the request again.", "1"),
        ]
        for (error, kind, words, wait) in cases {
            let problem = Problem(error)
            #expect(problem.kind == kind && problem.detail.contains(words))
            #expect(problem.fields.map(\.value) == [wait].compactMap(\.self))
            #expect(error.isRetryable == (kind == .bulksFull))
        }
    }

    @Test func `names the job that may be stored nevertheless`() throws {
        var error = JobStoreError(.unavailable, "No answer.")
        let id = JobID(high: 7, low: 9)
        error.note(unsure: [id])
        let problem = Problem(error)
        #expect(problem.kind == .storageUnavailable)
        #expect(try body(problem).object?["job_id"] == .string("\(id)"))
        #expect(problem.detail.contains("\(id)") && problem.detail.contains("Idempotency-Key"))
        var batch = JobStoreError(.unavailable, "No answer.")
        batch.note(unsure: [id, JobID(high: 7, low: 10)])
        #expect(Problem(batch).members.isEmpty)
        #expect(batch.detail.contains("2 jobs"))
    }

    @Test func `has Retry-After if that may help`() {
        let busy = Problem(.overloaded, "x").response(requestID: "r", instance: nil)
        #expect(busy.fields["retry-after"] == "1")
        let full = Problem(JobStoreError(.queueFull, "full")).response(requestID: "r", instance: nil)
        #expect(full.status.code == 503)
        #expect(full.fields["retry-after"] == "5")
    }

    @Test(arguments: ProblemKind.allCases)
    func `is explained in the catalogue`(kind: ProblemKind) {
        let entry = ProblemCatalog.entry(kind)
        #expect((400...599).contains(entry.status))
        #expect(kind.code.contains("."))
        #expect(!entry.title.isEmpty && !entry.meaning.isEmpty && !entry.remedy.isEmpty)
        #expect(entry.retryable == [408, 429, 503].contains(entry.status))
    }

    @Test func `says in which part of the request an error is`() throws {
        let places: [Problem.Item.Place] = [.pointer("/a"), .parameter("stat"), .header("If-Match")]
        let items = places.map { Problem.Item($0, code: "x.y", detail: "z") }
        let errors = try body(Problem(.invalidBody, "x", items: items)).object?["errors"]?.array ?? []
        #expect(errors.map { $0.object?["pointer"] } == ["/a", nil, nil])
        #expect(errors.map { $0.object?["parameter"] } == [nil, "stat", nil])
        #expect(errors.map { $0.object?["header"] } == [nil, nil, "If-Match"])
    }
}
