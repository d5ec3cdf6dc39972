import HTTPMessage
import StrictJSON
import Testing
import TestOperations

@testable import JobKit

@Suite struct `The size of an error` {
    private typealias Field = (name: String, value: String)

    private func answer(_ fields: [Field]) -> HTTPCallAnswer {
        HTTPCallAnswer(status: 503, fields: fields, body: [], exchange: HTTPCallExchange())
    }

    private func error(_ fields: [Field]) -> AOperationError {
        AOperationError(.httpStatus, title: "Upstream answered 503", detail: "Later.", answer: answer(fields))
    }

    private func json(_ error: AOperationError) -> [UInt8] {
        var writer = JSONWriter()
        error.write(to: &writer)
        return writer.bytes
    }

    /// An error of about this size, from an operation.
    private func error(_ bytes: Int, from name: String) -> AOperationError {
        var error = AOperationError(
            "own.long", detail: String(repeating: "ü\"\u{1}", count: bytes / 10), publisher: name)
        error.path = ["all", name]
        return error
    }

    /// 250 KiB of fields.
    private static let long: [Field] =
        [("Date", "Sat, 28 Nov 2026 10:00:00 GMT")]
        + (1...50).map { ("X-\($0)", String(repeating: "y", count: 5 << 10)) }
        + [("Retry-After", "7"), ("Set-Cookie", "secret")]

    @Test func `has a bound for the fields of the answer, and counts those that it leaves out`() throws {
        let error = error(Self.long)
        let upstream = try #require(error.upstream)
        #expect(json(error).count < 18 << 10)
        #expect(upstream.headers["x-1"]?.string?.utf8.count == 5 << 10)
        #expect(upstream.headers.members.map(\.name) == ["date", "x-1", "x-2", "x-3", "retry-after"])
        #expect(upstream.headersOmitted == 47)
        #expect(upstream.headerBytesOmitted == 47 * (5 << 10) + 6 * 3 + 41 * 4)
        // What decides about the next attempt is kept, wherever it stands.
        #expect(upstream.retryAfter(from: Timestamp(milliseconds: 0)) == .seconds(7))
    }

    @Test func `counts many short fields, too`() throws {
        let upstream = try #require(error((1...20_000).map { ("a\($0)", "") }).upstream)
        #expect(upstream.headers.count == 200)
        #expect(upstream.headersOmitted == 19_800)
    }

    @Test func `does not change a usual answer`() throws {
        let usual = error([("B", "2"), ("A", "1"), ("b", "3"), ("Content-Type", "text/plain")])
        let upstream = try #require(usual.upstream)
        #expect(
            upstream.headers == JSONObject([("b", "2"), ("a", "1"), ("content-type", "text/plain")]))
        #expect(upstream.headersOmitted == 0)
        #expect(!String(decoding: json(usual), as: UTF8.self).contains("omitted"))
    }

    @Test func `is never more than counted`() {
        for error in [error(Self.long), error(4_000, from: "a"), error([])] {
            #expect(json(error).count <= error.byteCount)
        }
    }

    @Test func `is read as it was written, with what it leaves out`() throws {
        let short = error(Self.long).short
        #expect(short.upstream?.headers.isEmpty == true)
        #expect(short.upstream?.headersOmitted == 52 - 1 - 1 + 2)
        #expect(short.bytesOmitted > 15_000)
        let read = try AOperationError(json: JSONParser.parse(json(short)))
        #expect(read == short)
        #expect(read.short == short)
    }

    @Test func `has a bound for all errors of an operation: the first are whole, the others in short`() {
        let all = (1...50).map { error(20 << 10, from: "m\($0)") }
        let kept = all.fitting()
        #expect(kept.count == 50)
        #expect(kept.reduce(0) { $0 + json($1).count } <= AOperationError.allBytesMax)
        #expect(kept[0] == all[0])
        #expect(kept.first { $0.bytesOmitted > 0 }?.detail.hasSuffix(" more bytes)") == true)
        #expect(kept.map(\.path) == all.map(\.path))
        #expect(kept.fitting() == kept)
    }

    @Test func `has a bound for more errors than fit, and counts the rest`() {
        let all = (1...1_000).map { error(2_000, from: "m\($0)") }
        let kept = all.fitting()
        #expect(kept.count < 1_000)
        #expect(kept.last?.code == .groupErrorsOmitted)
        #expect(kept.last?.detail.utf8.starts(with: "\(1_001 - kept.count) further errors".utf8) == true)
        #expect(kept.reduce(0) { $0 + json($1).count } <= AOperationError.allBytesMax + 1_024)
    }

    @Test func `with long causes keeps them in short before it is shortened itself`() {
        let whole = AOperationError(
            .httpStatus, detail: "All failed.", causes: (1...20).map { error(20 << 10, from: "c\($0)") })
        let kept = whole.ofAttempt
        #expect(kept.causes.count == 20)
        #expect(kept.causes.allSatisfy { $0.bytesOmitted > 0 })
        #expect(json(kept).count <= AOperationError.attemptBytesMax)
    }

    @Test func `is bounded in the journal, for attempts and for ends`() {
        let ending = OperationEnding(state: .failed, errors: (1...30).map { error(20 << 10, from: "m\($0)") })
        #expect(ending.kept.errors.reduce(0) { $0 + $1.byteCount } <= AOperationError.allBytesMax)
        let usual = OperationEnding(state: .failed, errors: [error([])])
        #expect(usual.kept == usual)
    }
}
