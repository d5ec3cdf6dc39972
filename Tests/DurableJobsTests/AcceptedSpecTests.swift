import JobKit
import JobSpec
import JobStore
import Testing

@testable import DurableJobs

@Suite struct `A job of a stored spec` {
    private let now = Timestamp(milliseconds: 1_700_000_000_000)

    private func job(_ text: String, of tenant: Tenant? = nil) throws -> NewJob {
        let accepted = try #require(AcceptedSpec(stored: Array(text.utf8), now: now))
        return try accepted.job(by: "ada", of: tenant, now: now, random: (1, 2))
    }

    @Test func `has the queue and the keys of its tenant`() throws {
        let text = #"{"type": "value", "value": 1, "queue": "mail", "unique": "daily"}"#
        let own = try job(text)
        #expect(own.record.queue == "mail")
        #expect(own.unique?.key == "daily")
        let tenant = Tenant("acme")
        let theirs = try job(text, of: tenant)
        #expect(theirs.record.queue == "acme/mail")
        #expect(theirs.unique?.key == tenant.storedText("daily"))
    }

    @Test func `brings its spec along, unless its run comes later`() throws {
        let text = #"{"type": "value", "value": 1, "name": "one"}"#
        let soon = try job(text)
        #expect(soon.reading?.spec.operation.name == "one")
        #expect(soon.spec == Array(text.utf8))
        let later = try job(#"{"type": "value", "value": 1, "run_at": "1h"}"#)
        #expect(later.record.state == .scheduled)
        #expect(later.reading == nil)
    }

    @Test func `is not made of a damaged spec`() {
        let accepted = AcceptedSpec(stored: Array(#"{"type": "val"#.utf8), now: now)
        #expect(accepted == nil)
    }
}
