import HTTPMessage
import JobJournal
import JobKit
@testable import JobRunner
import JobSpec
@testable import JobStore
import StrictJSON
import Testing

@Suite struct `A template` {
    @Test func `is expanded with values of other operations, and its errors keep their origin`() async throws
    {
        let bench = try await Bench { call, _ in
            call.url.hasSuffix("size=9") ? .json(500, "{}") : .json(200, #"{"made": true}"#)
        }
        let id = try await bench.submitStored(
            Self.job(size: #"{"$get": "given", "at": "/body/n"}"#, given: 3))
        #expect(try await bench.finished(id).state == .succeeded)
        #expect(bench.transport.calls.map(\.url) == ["https://x.example/?size=3"])
        let views = try bench.views(id)
        #expect(views["pic/call"]?.state == .succeeded)
        #expect(views["pic"]?.type == "template")
        let failing = try await bench.submitStored(
            Self.job(size: "9", given: 3))
        let failed = try await bench.finished(failing)
        let error = failed.error
        #expect(error?.publisher == "call")
        #expect(error?.path == ["group", "pic", "call"])
    }

    @Test func `fails at run time for a wrong parameter, and is skipped by a when of its own`()
        async throws
    {
        let bench = try await Bench()
        let large = try await bench.submitStored(
            Self.job(size: #"{"$get": "given", "at": "/body/n"}"#, given: 5_000))
        let error = try await bench.finished(large).error
        #expect(error?.code.description == "template.invalid")
        #expect(error?.publisher == "pic")
        let none = try await bench.submitStored(
            Self.job(size: #"{"$get": "given", "at": "/body/n"}"#, given: 0))
        #expect(try await bench.finished(none).state == .succeeded)
        #expect(try bench.views(none)["pic"]?.state == .skipped)
        #expect(bench.transport.calls.isEmpty)
    }

    /// A spec as it is stored, with its template.
    private static func job(size: String, given: Int) -> String {
        #"""
        {"type": "group", "operations": [
            {"type": "value", "name": "given", "value": {"n": GIVEN}},
            {"name": "pic", "template": "resize", "params": {"size": SIZE}}],
         "$templates": {"resize": {"name": "resize", "version": 2, "template": {
            "parameters": {"size": {"type": "integer", "required": true, "maximum": 1000}},
            "operation": {"type": "network", "name": "call", "when": {"$param": "size", "greater": 0},
                "retry": {"max_attempts": 1},
                "request": {"url": "https://x.example/{?size}", "vars": {"size": {"$param": "size"}}}}}}}}
        """#.replacing("GIVEN", with: String(given)).replacing("SIZE", with: size)
    }
}

extension Bench {
    /// Submits a stored spec with its pinned template.
    fileprivate func submitStored(_ text: String) async throws -> JobID {
        let now = SystemClock().now
        let spec = try JobSpecReader.readStored(Array(text.utf8), now: now).get()
        var random = SystemRandomNumberGenerator()
        let record = JobRecord(
            id: JobID(at: now, using: &random), name: spec.operation.name, type: spec.operation.kind.type,
            queue: spec.queue, priority: spec.priority, labels: [], state: .queued, attemptsMax: 1,
            createdAt: now, keepSucceededMilliseconds: 60_000, keepFailedMilliseconds: 60_000)
        let job = NewJob(record: record, spec: Array(text.utf8))
        _ = try await reply { self.store.submit(job, reply: $0) }
        return record.id
    }
}
