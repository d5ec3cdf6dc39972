import HTTPMessage
@testable import JobKit
@testable import JobSpec
import StrictJSON
import TestOperations
import Testing

@Suite struct `The request of an attempt, rebuilt` {
    private let at = Timestamp(milliseconds: 1_800_000_000_000)

    private func requests(
        _ text: String, _ events: [JournalEntry.Event], attempts: ClosedRange<Int>
    ) throws -> [HTTPCall] {
        let group = #"{"type":"group","operations":[\#(text)]}"#
        let fold = JournalFold(
            events.map { event in
                if case .retried = event { return JournalEntry(at: at, path: [], event: event) }
                return JournalEntry(at: at, path: ["call"], event: event)
            })
        let sites = CallSite.all(
            of: try readSpec(group), fold: fold, seed: "job_1", submittedAt: at, connections: nil)
        let site = try #require(sites[["call"]])
        return try attempts.map { try site.request(ofAttempt: $0).call }
    }

    private func attempt(
        _ number: Int, _ method: String, _ url: String, _ outcome: AttemptRecord.Outcome,
        noting followed: String? = nil
    ) -> [JournalEntry.Event] {
        let record = AttemptRecord(number: number, startedAt: at, finishedAt: at, outcome: outcome)
        let note = followed.map {
            JournalEntry.Event.noted(name: NoteName.follow, value: .string($0))
        }
        return [.attemptStarted(number: number, method: method, url: url)] + (note.map { [$0] } ?? [])
            + [.attemptFinished(record)]
    }

    @Test func `carries the idempotency key that this attempt had`() throws {
        let url = "https://a.example/pay"
        let text = #"""
            {"type":"network","name":"call",
             "request":{"method":"POST","url":"\#(url)","idempotency_key":"auto"}}
            """#
        let once: [JournalEntry.Event] =
            [.started] + attempt(1, "POST", url, .failed) + attempt(2, "POST", url, .succeeded)
            + [.finished(OperationEnding(state: .succeeded))]
        let again: [JournalEntry.Event] =
            [.retried(by: "ada"), .started] + attempt(3, "POST", url, .failed)
            + attempt(4, "POST", url, .succeeded)
        let key = { (call: HTTPCall) in call.fields.first { $0.name == "Idempotency-Key" }?.value }
        let first = try requests(text, once, attempts: 1...2).map(key)
        let all = try requests(text, once + again, attempts: 1...4).map(key)
        #expect(first[0] != nil && first[0] == first[1])
        #expect(Array(all[0...1]) == first)
        #expect(all[2] != first[0] && all[2] == all[3])
    }

    @Test func `has no content when an upload is sent, which is never read into memory`() throws {
        let (url, id) = ("https://a.example/in", "art_01m89bdke0e52st1b9k4ypp8cx")
        for content in [
            #""artifact":{"id":"\#(id)"}"#,
            #""multipart":[{"name":"a","text":"b"},{"name":"f","artifact":{"id":"\#(id)"}}]"#,
        ] {
            let request = #"{"method":"POST","url":"\#(url)",\#(content)}"#
            let text = #"{"type":"network","name":"call","request":\#(request)}"#
            let calls = try requests(text, [.started] + attempt(1, "POST", url, .succeeded), attempts: 1...1)
            #expect(calls.map(\.body) == [nil])
            #expect(calls.map(\.url) == [url])
        }
    }

    @Test func `is the GET that followed an answer, and the call of the spec before that`() throws {
        let (url, one) = ("https://a.example/jobs", "https://a.example/jobs/1")
        let elsewhere = "https://b.example/jobs/1"
        let text = #"""
            {"type":"poll","name":"call","follow":true,
             "request":{"method":"POST","url":"\#(url)","json":{"a":1},"headers":{"X-A":"b"},
                "idempotency_key":"auto","auth":{"type":"bearer","token":"s3cret"}}}
            """#
        let events: [JournalEntry.Event] =
            [.started] + attempt(1, "POST", url, .failed) + attempt(2, "POST", url, .notDone, noting: one)
            + attempt(3, "GET", one, .notDone) + attempt(4, "GET", one, .notDone, noting: elsewhere)
            + attempt(5, "GET", elsewhere, .failed) + [.finished(OperationEnding(state: .failed))]
            + [.retried(by: "ada"), .started] + attempt(6, "POST", url, .notDone)
        let calls = try requests(text, events, attempts: 1...6)
        #expect(calls.map(\.method) == ["POST", "POST", "GET", "GET", "GET", "POST"])
        #expect(calls.map(\.url) == [url, url, one, one, elsewhere, url])
        #expect(calls.map { $0.body == nil } == [false, false, true, true, true, false])
        let names = calls.map { call in Set(call.fields.map { $0.name.lowercased() }) }
        #expect(names[1].isSuperset(of: ["idempotency-key", "x-a", "authorization"]))
        #expect(names[2].isSuperset(of: ["x-a", "authorization"]))
        #expect(!names[2].contains("idempotency-key"))
        #expect(names[4].isDisjoint(with: ["x-a", "authorization"]))
    }
}
