import JobKit
import JobStore
import StrictJSON
import Testing

@testable import JobRunner

@Suite struct `The outbox of a run` {
    private typealias Outbox = JournalOutbox<String>

    private static let claim = ClaimKey(id: JobID(high: 1, low: 2), fence: 3)
    private var outbox = Outbox(for: claim)

    /// An entry identified by its step.
    private func entry(_ name: String) -> JournalEntry {
        JournalEntry(at: Timestamp(milliseconds: 0), path: [name], event: .started)
    }

    private func update(_ names: String...) -> RunUpdate {
        RunUpdate(claim: Self.claim, journal: names.map(entry))
    }

    private mutating func note(_ names: String...) {
        for name in names { _ = outbox.note(entry(name)) }
    }

    private func names(_ update: RunUpdate?) -> [String]? { update?.journal.map { $0.path.joined() } }

    @Test mutating func `sends the noted entries and wakes the waiters when they are stored`() {
        note("a", "b")
        let sent = outbox.send(waking: "ada")
        #expect(names(sent.send) == ["a", "b"] && sent.wake.isEmpty)
        let stored = outbox.delivered(rest: nil)
        #expect(stored.wake == ["ada"] && stored.isStored && stored.send == nil)
    }

    @Test mutating func `has no waiters when there is nothing to store`() {
        let actions = outbox.send(waking: "ada")
        #expect(actions.wake == ["ada"] && actions.isStored && actions.send == nil)
    }

    @Test mutating func `has one update in flight, and batches later entries into the next`() {
        note("a")
        _ = outbox.send(waking: "ada")
        note("b")
        let second = outbox.send(waking: "bob")
        note("c")
        #expect(second.send == nil)
        let stored = outbox.delivered(rest: nil)
        #expect(names(stored.send) == ["b", "c"] && stored.wake == ["ada"])
        let all = outbox.delivered(rest: nil)
        #expect(all.wake == ["bob"] && all.send == nil)
    }

    @Test mutating func `sends the rest of a split update before anything newer`() {
        note("a", "b")
        _ = outbox.send(waking: "ada")
        note("c")
        _ = outbox.send(waking: nil)
        let first = outbox.delivered(rest: update("b"))
        #expect(names(first.send) == ["b"] && first.wake.isEmpty)
        let second = outbox.delivered(rest: nil)
        #expect(names(second.send) == ["c"] && second.wake == ["ada"])
    }

    @Test mutating func `sends a temporarily refused update again`() {
        note("a")
        _ = outbox.send(waking: "ada")
        let refused = outbox.refused(isTemporary: true)
        #expect(refused.retriesLater && !refused.isLost && refused.wake.isEmpty)
        note("b")
        let meanwhile = outbox.send(waking: nil)
        #expect(meanwhile.send == nil)
        let again = outbox.retry()
        #expect(names(again.send) == ["a"])
        let stored = outbox.delivered(rest: nil)
        #expect(names(stored.send) == ["b"] && stored.wake == ["ada"])
    }

    @Test
    mutating func `is lost when the store refuses for good, and those that wait do so until it is closed`() {
        note("a")
        _ = outbox.send(waking: "ada")
        let refused = outbox.refused(isTemporary: false)
        #expect(refused.isLost && refused.wake.isEmpty && !outbox.isOpen)
        let isNoted = outbox.note(entry("b"))
        let late = outbox.send(waking: "bob")
        let closed = outbox.close()
        #expect(!isNoted && late.wake.isEmpty && closed == nil)
        let waiters = outbox.closeLost()
        let again = outbox.closeLost()
        #expect(waiters == ["ada", "bob"] && again == nil)
    }

    @Test mutating func `returns the unsent entries when it is closed, and accepts no more`() {
        note("a")
        _ = outbox.send(waking: "ada")
        note("b")
        let closed = outbox.close()
        #expect(names(closed?.update) == ["b"] && closed?.waiters == ["ada"])
        let late = outbox.send(waking: "bob")
        #expect(late.wake == ["bob"] && !late.isStored)
    }

    @Test mutating func `sends the last update after the one in flight`() {
        note("a")
        _ = outbox.send(waking: nil)
        _ = outbox.close()
        let early = outbox.finish(with: update("z"))
        #expect(early.last == nil)
        let stored = outbox.delivered(rest: nil)
        #expect(names(stored.last) == ["z"])
    }

    @Test(arguments: [true, false])
    mutating func `sends a refused update together with the last one`(comesFirst: Bool) {
        note("a")
        _ = outbox.send(waking: nil)
        _ = outbox.close()
        let last: RunUpdate?
        if comesFirst {
            _ = outbox.refused(isTemporary: true)
            last = outbox.finish(with: update("z")).last
        } else {
            _ = outbox.finish(with: update("z"))
            last = outbox.refused(isTemporary: true).last
        }
        #expect(names(last) == ["a", "z"])
    }

    @Test mutating func `sends an update that waits for a retry together with the last one`() {
        note("a")
        _ = outbox.send(waking: nil)
        _ = outbox.refused(isTemporary: true)
        _ = outbox.close()
        let retried = outbox.retry()
        let finished = outbox.finish(with: update("z"))
        #expect(retried.send == nil && names(finished.last) == ["a", "z"])
    }

    @Test mutating func `omits a key that was taken and released`() {
        let hold = ExclusiveHold(key: "k", job: Self.claim.id, path: [])
        outbox.note(taken: [hold], freed: [])
        outbox.note(taken: [], freed: [ByteKey("k"), ByteKey("other")])
        let update = outbox.send(waking: nil).send
        #expect(update?.taken.isEmpty == true && update?.freed == ["other"])
    }
}
