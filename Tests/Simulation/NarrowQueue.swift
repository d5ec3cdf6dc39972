import JobKit
import JobStore
import MemoryStore

/// A queue with limits, which a person pauses now and then.
// Safe because everything of a simulation happens on one thread.
final class NarrowQueue: @unchecked Sendable {
    static let name = "narrow"

    private let world: World
    private let disk: Disk
    private let concurrency: Int?
    private let limits: [String]
    private(set) var isPaused = false
    /// The jobs of the queue that run.
    private var running: Set<Int> = []

    init(world: World, disk: Disk, dice: inout Dice) {
        self.world = world
        self.disk = disk
        concurrency = dice.pick([nil, 1, 1, 2])
        var limits = concurrency.map { ["\"concurrency\":\($0)"] } ?? []
        let perKey = [
            dice.hits(40) ? "\"concurrency\":1" : nil,
            dice.hits(20) ? "\"rate\":{\"count\":2,\"per\":\"1s\"}" : nil,
        ].compactMap(\.self)
        if !perKey.isEmpty { limits.append("\"per_key\":{\(perKey.joined(separator: ","))}") }
        if dice.hits(30) { limits.append("\"rate\":{\"count\":3,\"per\":\"1s\"}") }
        if dice.hits(30) { limits.append("\"order\":\"fifo\"") }
        self.limits = limits
        configure()
    }

    /// Pauses the queue for a while.
    func pause(for microseconds: Int64) {
        isPaused = true
        configure()
        world.note(11, 0, 0, "the queue is paused")
        world.after(microseconds) { [weak self] in
            self?.isPaused = false
            self?.configure()
        }
    }

    private func configure() {
        let members = limits + (isPaused ? ["\"paused\":true"] : [])
        let draft = SettingDraft(kind: .queue, name: Self.name, updatedAt: world.now, updatedBy: "people") {
            _ in
            Array("{\(members.joined(separator: ","))}".utf8)
        }
        disk.truth.perform(draft) { _ in }
    }

    /// Follows a job of the queue, which may begin only as the limits permit.
    func note(_ job: JobCase, becoming state: JobState?) {
        guard job.isNarrow else { return }
        guard state == .running else {
            running.remove(job.number)
            return
        }
        running.insert(job.number)
        // A held job is claimed for its timers, and one that runs goes on.
        if job.state == .held || job.state == .running { return }
        if isPaused { world.fail("\(job.name) began although its queue is paused") }
        if let concurrency, running.count > concurrency {
            world.fail("\(running.count) jobs of the queue run, and \(concurrency) may")
        }
    }
}
