import JobKit

// DESIGN
// A world is one thread with a clock of its own. What will happen stands in the agenda; what is ready stands in the
// queue of the loop that belongs to the server's present life. A turn takes one piece of ready work, or moves the
// time on to the next thing in the agenda. Work takes a little time, too, so that answers, commits and people come
// between two pieces of it, as they would from other threads. All chance comes from dice that the seed has thrown.

/// Time, chance and what will happen.
// Safe because everything of a simulation happens on one thread.
final class World: @unchecked Sendable {
    /// What the clock shows at the beginning.
    static let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// Microseconds since the beginning.
    private(set) var time: Int64 = 0
    var dice: Dice
    var trace: Trace
    /// What went wrong first; the run ends with it.
    private(set) var violation: String?
    private var agenda = Agenda()

    init(seed: UInt64, isShown: Bool) {
        dice = Dice(seed: seed)
        trace = Trace(isShown: isShown)
    }

    /// What a clock on the wall shows.
    var now: Timestamp { Timestamp(milliseconds: World.start.milliseconds + time / 1_000) }

    /// Has something happen, so many microseconds from now.
    func after(_ microseconds: Int64, _ action: @escaping () -> Void) {
        agenda.add(at: time + max(0, microseconds), rank: dice.next(), action)
    }

    /// Has something happen after a while.
    func after(_ duration: Duration, _ action: @escaping () -> Void) {
        after(duration.microseconds, action)
    }

    /// A rule was broken.
    func fail(_ text: String) {
        if violation == nil { violation = "\(text) (at \(Double(time) / 1_000_000) s)" }
    }

    func note(_ kind: UInt8, _ first: Int, _ second: Int = 0, _ text: @autoclosure () -> String) {
        trace.note(time, kind, Int64(first), Int64(second), text)
    }

    /// Lets happen what is due.
    func runDue() {
        while violation == nil, let action = agenda.takeDue(at: time) { action() }
    }

    /// A piece of work was done.
    func spend() {
        let cast = dice.next()
        time += cast & 7 == 0 ? Int64((cast >> 8) % 200) : Int64((cast >> 8) % 5)
    }

    /// Forgets what will happen.
    func end() { agenda = Agenda() }

    /// Nothing is ready: on to the next thing. False when nothing will ever happen.
    func jump() -> Bool {
        guard let next = agenda.next else { return false }
        time = max(time, next)
        return true
    }
}

/// A clock that shows the world's time, for who never sleeps.
struct WallClock: AOperationClock {
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
