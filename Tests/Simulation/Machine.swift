import JobKit

/// The machine of a server: its clock, and whether it runs and reaches the store.
// Safe because everything of a simulation happens on one thread.
final class Machine: @unchecked Sendable {
    /// Tells the server from others; empty for the only one.
    let name: String
    /// The difference between its wall clock and that of the store.
    let skew: Duration
    /// Whether the process is stopped, as by SIGSTOP.
    private(set) var isStopped = false
    /// Whether it reaches the store.
    private(set) var isConnected = true
    /// The time of the last change of these, in microseconds.
    private(set) var changedAt: Int64 = 0
    private let world: World
    private var waiting: [() -> Void] = []

    init(_ name: String, skew: Duration, world: World) {
        self.name = name
        self.skew = skew
        self.world = world
    }

    var isSound: Bool { !isStopped && isConnected }

    /// The time of its wall clock.
    var now: Timestamp { world.now.advanced(by: skew) }

    /// Does something on a thread of the process, when that runs.
    func whenRunning(_ action: @escaping () -> Void) {
        if isStopped { waiting.append(action) } else { action() }
    }

    func stop() {
        isStopped = true
        changedAt = world.time
        note("is stopped")
    }

    func goOn() {
        guard isStopped else { return }
        isStopped = false
        changedAt = world.time
        note("goes on")
        let actions = waiting
        waiting = []
        for action in actions { world.after(Int64(world.dice.below(2_000)), action) }
    }

    func cut() {
        isConnected = false
        changedAt = world.time
        note("is cut off")
    }

    func connect() {
        guard !isConnected else { return }
        isConnected = true
        changedAt = world.time
        note("is connected")
    }

    /// A new process on the machine.
    func begin() {
        (isStopped, waiting) = (false, [])
        changedAt = world.time
    }

    private func note(_ text: String) {
        world.note(12, Int(isStopped ? 1 : 0), Int(isConnected ? 1 : 0), "\(tag)\(text)")
    }

    /// The beginning of a line of the trace.
    var tag: String { name.isEmpty ? "" : "\(name): " }
}
