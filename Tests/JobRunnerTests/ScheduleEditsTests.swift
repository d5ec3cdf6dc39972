import Synchronization
import Testing

@testable import JobRunner

@Suite struct `Changes of schedules` {
    /// The names of the schedules whose changes went on.
    private final class Done: Sendable {
        private let names = Mutex<[String]>([])

        var all: [String] { names.withLock { $0 } }

        func note(_ name: String) -> @Sendable () -> Void { { self.names.withLock { $0.append(name) } } }
    }

    @Test func `wait for a round that begins after them, and settles their schedule`() {
        let done = Done()
        var edits = ScheduleEdits()
        edits.beginRound()
        edits.begin("a", done.note("a"))
        edits.begin("b", done.note("b"))
        edits.begin("a", done.note("a"))
        for end in edits.endRound() { end() }
        #expect(done.all.isEmpty)
        #expect(edits.names(limit: 9) == ["a", "b"])
        #expect(edits.names(limit: 1) == ["a"])
        edits.beginRound()
        edits.note(due: ["a", "c"])
        for end in edits.endRound() { end() }
        #expect(done.all == ["b"])
        edits.beginRound()
        edits.note(due: ["a", "c"])
        edits.settled("a")
        for end in edits.endRound() { end() }
        #expect(done.all == ["b", "a", "a"])
        #expect(edits.isEmpty)
    }

    @Test func `wait for a schedule that always has something to do for a few rounds only`() {
        let done = Done()
        var edits = ScheduleEdits()
        edits.begin("a", done.note("a"))
        var rounds = 0
        while done.all.isEmpty, rounds < 1_000 {
            edits.beginRound()
            edits.note(due: ["a"])
            for end in edits.endRound() { end() }
            rounds += 1
        }
        #expect(rounds == ScheduleEdits.roundsMax)
    }

    @Test func `go on when the server stops`() {
        let done = Done()
        var edits = ScheduleEdits()
        edits.begin("a", done.note("a"))
        for end in edits.endAll() { end() }
        #expect(done.all == ["a"])
    }
}
