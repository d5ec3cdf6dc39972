@testable import JobKit
@testable import JobSpec
import Testing

@Suite struct `The spec of a download` {
    private func problems(_ members: String) -> [String] {
        let text = #"{"type": "download", "request": "http://a.example/f"\#(members)}"#
        switch JobSpecReader.read(Array(text.utf8), now: Timestamp(milliseconds: 1_800_000_000_000)) {
        case .success: return []
        case .failure(let problems): return problems.list.map { "\($0.pointer) \($0.code)" }
        }
    }

    private func read(_ text: String) throws -> OperationSpec {
        try JobSpecReader.read(Array(text.utf8), now: Timestamp(milliseconds: 1_800_000_000_000)).get()
            .operation
    }

    @Test func `by default has no attempt timeout, accepts a gibibyte and resumes`() throws {
        let plain = try read(#"{"type": "download", "request": "http://a.example/f"}"#)
        let download = try #require(plain.kind.work as? DownloadSpec)
        #expect(download.call.attemptTimeout == .seconds(366 * 86_400))
        #expect(download.call.target.bytesMax == 1 << 30)
        #expect(download.call.target.name == nil)
        #expect(download.resumes)
        let other = try read(
            #"""
            {"type": "download", "request": {"url": "http://a.example/f", "method": "POST"}, "resume": false,
             "save": {"artifact": "a.bin", "max_bytes": 10}, "timeouts": {"attempt": "5s"},
             "verify": {"sha256": "\#(String(repeating: "Ab", count: 32))", "size": 9, "content_type": "text/csv"}}
            """#)
        let second = try #require(other.kind.work as? DownloadSpec)
        #expect(second.call.attemptTimeout == .seconds(5))
        #expect(second.call.target.name == "a.bin")
        #expect(second.call.target.bytesMax == 10)
        #expect(!second.resumes)
        #expect(second.verify.size == 9)
        #expect(second.verify.contentType == "text/csv")
    }

    @Test(arguments: [
        (#", "save": "a.bin""#, "/save spec.wrong_type"),
        (#", "save": {"artifact": "../a"}"#, "/save/artifact spec.bad_name"),
        (#", "save": {"artifact": ".a"}"#, "/save/artifact spec.bad_name"),
        (#", "save": {"max_bytes": 0}"#, "/save/max_bytes spec.out_of_range"),
        (#", "save": {"artefact": "a"}"#, "/save/artefact spec.unknown_member"),
        (#", "resume": "yes""#, "/resume spec.wrong_type"),
        (#", "verify": {"sha256": "abc"}"#, "/verify/sha256 spec.out_of_range"),
        (#", "verify": {"sha_256": "abc"}"#, "/verify/sha_256 spec.unknown_member"),
        (#", "verify": {"size": -1}"#, "/verify/size spec.out_of_range"),
        (#", "verify": {"size": 11}, "save": {"max_bytes": 10}"#, "/verify/size spec.conflict"),
        (#", "verify": {"content_type": "pdf"}"#, "/verify/content_type spec.unknown_word"),
        (#", "for": "1s""#, "/for spec.unknown_member"),
    ])
    func `is refused with the place where it is wrong`(members: String, problem: String) {
        #expect(problems(members) == [problem])
    }

    @Test func `cannot resume unless it is a GET, nor set its own ranges`() {
        let text = #"""
            {"type": "download",
             "request": {"url": "http://a.example/f", "method": "POST", "headers": {"Range": "bytes=0-1"}}}
            """#
        guard case .failure(let found) = JobSpecReader.read(Array(text.utf8), now: Timestamp(milliseconds: 1))
        else {
            Issue.record("accepted")
            return
        }
        let places = found.list.map { "\($0.pointer) \($0.code)" }
        #expect(places == ["/request/method spec.conflict", "/request/headers spec.conflict"])
    }
}

private struct Surprise: Error {}
