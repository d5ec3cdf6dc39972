import JobKit
import JobSpec
import JobStore
import MemoryStore
import StrictJSON
import Testing

@testable import JobServer

@Suite struct `The history of one operation` {
    @Test func `is read for itself, however long that of its retried job is`() async throws {
        let store = MemoryJobStore()
        let spec = #"""
            {"type": "group", "operations": [{"type": "value", "name": "order", "value": 1},
              {"type": "await", "name": "printed", "callback": {}}]}
            """#
        let now = SystemTime.now()
        var random = SystemRandomNumberGenerator()
        let id = JobID(at: now, using: &random)
        let record = JobRecord(
            id: id, name: "group", type: "group", queue: "default", priority: 5, labels: [], state: .queued,
            attemptsMax: 1, createdAt: now, keepSucceededMilliseconds: 60_000, keepFailedMilliseconds: 60_000)
        _ = await Result.awaiting { store.submit(NewJob(record: record, spec: Array(spec.utf8)), reply: $0) }
        try await Result.awaiting {
            store.renew(OwnerID("server"), now: now, lease: .seconds(60), reply: $0)
        }.get()
        let request = ClaimRequest(limit: 1, owner: OwnerID("server"), now: now)
        let claims = try await Result.awaiting { store.claim(request, reply: $0) }.get()
        let claim = try #require(claims.first)
        func entry(_ path: [String], _ event: JournalEntry.Event) -> JournalEntry {
            JournalEntry(at: now, path: path, event: event)
        }
        let handout = JSONObject([("round", 0), ("by", "order")])
        var journal = [entry(["printed"], .noted(name: NoteName.handedOut, value: .object(handout)))]
        journal += [
            entry(["order"], .started), entry(["order"], .finished(OperationEnding(state: .succeeded))),
        ]
        journal += (0..<JobHistory.entriesMax).map { entry(["other", "\($0)"], .started) }
        var update = RunUpdate(claim: claim.key, journal: journal, standing: nil)
        _ = try await Result.awaiting { store.update(update, reply: $0) }.get()
        let report = JobReport(place: CallbackPlace(path: ["gone"], round: 0), failure: nil, content: .empty)
        let added = JobMessage(
            by: "ada", content: .member(group: [], spec: ["type": "value", "name": "late", "value": 2]))
        for message in [JobMessage(by: "callback URL", content: .report(report)), added] {
            try await store.perform(JobPost(id: id, journal: entry([], .message(message))))
        }
        update = RunUpdate(claim: claim.key, journal: [], standing: .init(state: .failed, attempt: 1))
        _ = try await Result.awaiting { store.update(update, reply: $0) }.get()
        try await store.perform(JobRetry(id, journal: entry([], .retried(by: "ada"))))
        let reader = try store.makeReader()
        #expect(try JobHistory.entries(of: id, from: reader) == nil)
        var excerpt = try #require(try JournalExcerpt(of: id, from: reader, JournalIndexCache()))
        #expect(excerpt.operation(at: ["printed"])?.callbackRules != nil)
        #expect(excerpt.operation(at: ["gone"]) == nil)
        #expect(excerpt.operation(at: ["late"]) != nil)
        #expect(try excerpt.fold(of: ["printed"]).sender(ofCallbackAt: ["printed"]) == ["order"])
        let fold = try excerpt.fold(of: ["order"])
        // The one that handed the URL out is kept, and so is the URL.
        #expect(fold.retries == 1)
        #expect(fold.callbackPlace(at: ["printed"]).round == 0)
        #expect(fold.histories.count < 5)
        // Reports may be many and large, and decide nothing here.
        #expect(fold.messages == [added])
    }
}
