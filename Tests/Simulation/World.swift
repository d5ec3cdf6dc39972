import JobKit

// DESIGN
// A world is one thread with virtual time. Future events are in the agenda; ready work is in the queue of the loop of
// the server's current life. A turn runs one piece of ready work, or advances the time to the next event. Work takes a
// little time, too, so that answers, commits and people come between two pieces of it, as they would from other
// threads. All chance comes from dice thrown by the seed.

/// Time, chance and future events.
// Safe because everything of a simulation happens on one thread.
final class World: @unchecked Sendable {
    /// The time at the beginning.
    static let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// Microseconds since the beginning.
    private(set) var time: Int64 = 0
    var dice: Dice
    var trace: Trace
    /// The first violation, which ends the run.
    private(set) var violation: String?
    private var agenda = Agenda()

    init(seed: UInt64, isShown: Bool) {
        dice = Dice(seed: seed)
        trace = Trace(isShown: isShown)
    }

    /// The wall clock time.
    var now: Timestamp { Timestamp(milliseconds: World.start.milliseconds + time / 1_000) }

    /// Schedules an action.
    func after(_ microseconds: Int64, _ action: @escaping () -> Void) {
        agenda.add(at: time + max(0, microseconds), rank: dice.next(), action)
    }

    /// Schedules an action.
    func after(_ duration: Duration, _ action: @escaping () -> Void) {
        after(duration.microseconds, action)
    }

    /// Reports a violation.
    func fail(_ text: String) {
        if violation == nil { violation = "\(text) (at \(Double(time) / 1_000_000) s)" }
    }

    func note(_ kind: UInt8, _ first: Int, _ second: Int = 0, _ text: @autoclosure () -> String) {
        trace.note(time, kind, Int64(first), Int64(second), text)
    }

    /// Runs the due events.
    func runDue() {
        while violation == nil, let action = agenda.takeDue(at: time) { action() }
    }

    /// Advances the time for a piece of work.
    func spend() {
        let cast = dice.next()
        time += cast & 7 == 0 ? Int64((cast >> 8) % 200) : Int64((cast >> 8) % 5)
    }

    /// Drops all future events.
    func end() { agenda = Agenda() }

    /// Advances to the next event. Returns false when there is none.
    func jump() -> Bool {
        guard let next = agenda.next else { return false }
        time = max(time, next)
        return true
    }
}

/// A clock with the world's time, for code that never sleeps.
struct WallClock: OperationClock {
    let world: World

    var now: Timestamp { world.now }

    func sleep(for duration: Duration) async throws { throw CancellationError() }
}

extension Duration {
    /// Whole microseconds, rounded up.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + (attoseconds + 999_999_999_999) / 1_000_000_000_000
    }
}
