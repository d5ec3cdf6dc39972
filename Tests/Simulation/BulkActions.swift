import JobKit
import JobRunner
import JobStore
import MemoryStore

// DESIGN
// Now and then a person acts on several jobs at once. The action is created once, and an answer that does not come is
// not asked for again. When it is on the disk it must come to its end over crashes, with one result for each job, and
// each job that it changed has one entry of it in its journal.

/// The bulk actions of a simulation.
// Safe because everything of a simulation happens on one thread.
final class BulkActions: @unchecked Sendable {
    private enum Action: String, CaseIterable { case cancel, retry, hold, release, erase }

    private struct Made {
        var id: BulkID
        var action: Action
        var by: String
        var jobs: [JobID]
        var isAcknowledged = false
    }

    private let world: World
    private let disk: Disk
    private let cases: CaseBook
    private var dice: Dice
    private var made: [Made] = []
    /// The current life of the server; nil while it is down.
    var life: () -> ServerLife? = { nil }

    init(world: World, disk: Disk, cases: CaseBook, dice: Dice) {
        self.world = world
        self.disk = disk
        self.cases = cases
        self.dice = dice
    }

    /// Plans them until `end`, in microseconds.
    func plan(until end: Int64) {
        for _ in 0..<dice.pick([0, 0, 1, 2, 3]) {
            world.after(Int64(dice.below(Int(end)))) { [weak self] in self?.create() }
        }
    }

    private func create() {
        guard let life = life() else { return }
        let action = dice.pick(Action.allCases)
        let jobs = cases.all.filter { $0.acknowledged != nil && !$0.isErased && dice.hits(70) }
        for job in jobs {
            if action == .cancel { job.wasCancelled = true }
            if action == .retry { job.wasRetried = true }
        }
        let ids = jobs.compactMap(\.acknowledged)
        let number = made.count
        let bulk = BulkRecord(
            id: BulkID(bits: JobID(at: life.machine.now, using: &dice)), body: Array(action.rawValue.utf8),
            perSecond: dice.pick([nil, nil, 1, 20]), createdAt: life.machine.now, createdBy: "bulk \(number)",
            total: ids.count)
        made.append(Made(id: bulk.id, action: action, by: bulk.createdBy, jobs: ids))
        life.store.perform(BulkCreation(bulk, of: ids)) { [self] result in
            guard life.phase != .dead, case .success(let bulk) = result else { return }
            made[number].isAcknowledged = true
            life.runner?.begin(bulk)
        }
    }

    /// Makes what the engine needs.
    var rules: BulkRules {
        BulkRules {
            "\($0.code)"
        } decision: { record in
            guard let action = Action(rawValue: String(decoding: record.body, as: UTF8.self)) else {
                return nil
            }
            return { Self.verdict(action, $0, by: record.createdBy, at: $1) }
        }
    }

    private static func verdict(
        _ action: Action, _ job: JobRecord, by: String, at now: Timestamp
    ) -> BulkStep.Verdict {
        func post(_ content: JobMessage.Content, _ effect: JobPost.Effect) -> BulkStep.Verdict {
            let entry = JournalEntry(
                at: now, path: [], event: .message(JobMessage(by: by, content: content)))
            return .post(JobPost(id: job.id, journal: entry, effect: effect))
        }
        switch action {
        case .cancel:
            if job.state == .cancelling { return .skip(code: "bulk.unchanged", detail: "") }
            let entry = JournalEntry(at: now, path: [], event: .cancelRequested(by: by, reason: nil))
            return .cancel(CancelRequest(id: job.id, at: now, journal: entry))
        case .retry: return .retry(JournalEntry(at: now, path: [], event: .retried(by: by)))
        case .hold: return post(.hold(reason: nil), .hold)
        case .release: return post(.release, .release)
        case .erase: return job.state.isFinal ? .erase : .skip(code: "job.not_finished", detail: "")
        }
    }

    /// Whether none is running.
    var areOver: Bool { (try? disk.truth.makeReader().runningBulks(limit: 1).isEmpty) ?? false }

    /// Checks that each job of each has one result, and an entry in its journal if it was changed.
    func check(_ reader: any JobReader) throws(JobStoreError) {
        for made in made {
            guard let bulk = try reader.bulk(made.id) else {
                if made.isAcknowledged { world.fail("\(made.by) was acknowledged and is lost") }
                continue
            }
            let results = try reader.results(of: made.id, from: 0, limit: 10_000)
            if bulk.state != .completed || results.map(\.job) != made.jobs {
                world.fail(
                    "\(made.by) is \(bulk.state) with \(results.count) results for \(made.jobs.count) jobs")
            }
            for result in results where try reader.job(result.job) != nil {
                if made.action == .erase, result.outcome == .done {
                    world.fail("\(made.by) erased \(result.job), which is there")
                }
                let entries = try reader.journal(result.job, after: 0, limit: 10_000)
                let count = entries.count { Self.author(of: $0.entry) == made.by }
                if made.action != .erase, count != (result.outcome == .done ? 1 : 0) {
                    world.fail("\(made.by) of \(result.job) is \(result.outcome), with \(count) entries")
                }
            }
        }
    }

    /// The person who made an entry.
    private static func author(of entry: JournalEntry) -> String? {
        switch entry.event {
        case .cancelRequested(let by, _, _), .retried(let by): by
        case .message(let message): message.by
        default: nil
        }
    }
}
