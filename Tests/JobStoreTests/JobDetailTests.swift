import JobKit
import StrictJSON
import Testing

@testable import JobStore
@testable import SQLiteStore

@Suite struct `The detail of a job` {
    private static let whole: JobDetail = {
        var error = AOperationError(.httpStatus, detail: "It said \"no\".\n", publisher: "send")
        error.path = ["mail", "send"]
        error.at = .noon
        error.upstream = .init(status: 503, headers: JSONObject([("a", 1)]), bodyExcerpt: "é")
        var detail = JobDetail(errors: [error, AOperationError("own.more", detail: "", causes: [error])])
        detail.lastError = error
        detail.result = ResultSummary(
            OperationResult(
                status: 201, headers: [.init(name: "a", value: "1"), .init(name: "a", value: "2")],
                contentType: "application/json", body: Array("{\"n\": [1,\n 2.50]}".utf8)),
            by: .init(inlineBytesMax: 100, digest: { "sha256:\($0.count)" }))
        detail.isAbandoned = true
        detail.hold = .init(by: "ada", reason: "closed: for good", since: .noon)
        detail.turn = .init(key: "a k", holder: JobID(high: 1, low: 2), since: .noon(1))
        detail.operations = [.succeeded: 2, .failed: 1]
        detail.progress = JobProgress(done: 5, total: 9, unit: "bytes")
        detail.untakenBytes = 77
        detail.submission.trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 a=1,b=2"
        detail.submission.createdBy = "ci \"7\""
        detail.waits = OperationWait.Reason.allCases.map { reason in
            let needsKey: Set<OperationWait.Reason> = [
                .signal, .approval, .grant, .exclusion, .reachability, .origin,
            ]
            let wait = OperationWait(
                until: reason == .signal ? nil : .noon(7), reason: reason,
                key: needsKey.contains(reason) ? "k 1" : nil, detail: reason == .origin ? "it is sick" : nil)
            return .init(name: "send", path: ["mail", "send"], wait: wait, since: .noon(3))
        }
        return detail
    }()

    @Test func `is decoded as stored`() throws {
        #expect(try JobDetail(decoding: Self.whole.encoded()) == Self.whole)
        #expect(try JobDetail(decoding: JobDetail().encoded()) == JobDetail())
        var small = JobDetail()
        small.hold = .init(by: "ada", reason: nil, since: .noon)
        small.result = ResultSummary(.empty)
        small.progress = JobProgress(done: 5, total: nil, unit: nil)
        #expect(try JobDetail(decoding: small.encoded()) == small)
        small.result?.artifact = ArtifactReference(sha256: String(repeating: "a", count: 64), bytes: 7)
        #expect(try JobDetail(decoding: small.encoded()) == small)
        #expect(StoredDetail.coded(small.encoded()) == StoredDetail(small))
    }

    @Test func `that is damaged says so, instead of that there are no facts`() {
        let whole = Self.whole.encoded()
        for bytes in [Array("x".utf8), Array(whole.prefix(40)), Array(#"{"errors":[{}]}"#.utf8)] {
            #expect(StoredDetail.coded(bytes).values.errors.map(\.code) == [.storageDamaged])
        }
    }

    @Test func `keeps the first field of each name, and short content that is text`() {
        let result = Self.whole.result
        #expect(result.map { String(decoding: $0.headers, as: UTF8.self) } == "{\"a\":\"1\"}")
        #expect(result.map { String(decoding: $0.inline, as: UTF8.self) } == "{\"n\":[1,2.50]}")
        #expect(result?.digest == "sha256:17")
        let binary = OperationResult(status: nil, headers: [], contentType: nil, body: [0xFF])
        #expect(ResultSummary(binary, by: .init(inlineBytesMax: 100)).inline == [])
        let long = OperationResult(json: .string("long"))
        #expect(ResultSummary(long, by: .init(inlineBytesMax: 5)).inline == [])
    }

    @Test(arguments: [
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 a=\"b\\c\",d=e",
    ])
    func `keeps the facts of a submission alone, and behind other facts`(trace: String) {
        for facts in [
            JobDetail.Submission(trace: trace), .init(trace: trace, createdBy: "ci"),
            .init(createdBy: "ci \"7\""),
            .init(createdBy: "ci"),
        ] {
            var new = StoredDetail.nothing
            new.submit { $0 = facts }
            let read = StoredDetail.coded(new.encoded)
            #expect(read.submission == facts)
            #expect(read == new)
            #expect(StoredDetail(JobDetail(), after: read).submission == facts)
            let failed = StoredDetail(
                JobDetail(errors: [AOperationError("own.failed", detail: "")]), after: read)
            #expect(failed.values.errors.count == 1)
            #expect(StoredDetail.coded(failed.encoded).submission == facts)
        }
    }
}
