import JobKit
import JobStore
import StoreThreads
import Synchronization

// DESIGN
// A write is answered once: by the writer thread, or by the one that watches it, when the database is silent.
// What a claim, and a run with a claim, writes waits for the writer: whether it was made is found out, and nothing else
// may be assumed about the call of a job.

/// A queued write, which the writer thread runs and answers.
// Safe because a command is handed over once, through the queue's lock: its caller keeps no reference, and from then on
// only the writer thread touches it, but for `refuse`, which uses constants and the atomic mark.
final class WriteCommand: WaitingWrite, @unchecked Sendable {
    let needs: WriteNeeds
    let madeAt = ContinuousClock.now
    let owner: String
    let bytes: Int
    let cost: Int
    /// Whether it is a claim, which goes ahead of other writes: it fills free slots.
    var isClaim = false
    /// Whether it is a submission or an update of a run, which mostly locks nothing after the tickets that it names.
    var isPlain = false
    private let work: @Sendable (WorkUnit) throws(PostgresFailure) -> () -> Void
    private let refusal: @Sendable (JobStoreError) -> Void
    private var answer: (() -> Void)?
    private let isOver = Atomic(false)

    /// A write that runs `work` and answers through `reply`. `work` may run again when its group failed.
    /// - Parameters:
    ///   - owner: the name of the tenant; empty without one.
    ///   - bytes: the approximate size of what it writes.
    ///   - rows: the number of jobs that it is about, when that is not seen from its needs.
    init<Value: Sendable>(
        of owner: String = "", needs: WriteNeeds = WriteNeeds(), bytes: Int = 0, rows: Int = 1,
        reply: @escaping StoreReply<Value>,
        work: @escaping @Sendable (WorkUnit) throws(PostgresFailure) -> Result<Value, JobStoreError>
    ) {
        self.needs = needs
        self.owner = owner
        self.bytes = bytes
        cost = bytes + WriteCost.row * max(1, rows, needs.ids.count, needs.submissions.count)
        self.work = { unit throws(PostgresFailure) in
            let outcome = try work(unit)
            return { reply(outcome) }
        }
        refusal = { reply(.failure($0)) }
    }

    /// Runs the work inside the open transaction and keeps the answer.
    func run(in unit: WorkUnit) throws(PostgresFailure) { answer = try work(unit) }

    /// Whether it was answered.
    var isAnswered: Bool { isOver.load(ordering: .acquiring) }

    /// Whether it is answered while the database is silent, and refused when too much waits.
    var mayLapse: Bool { !isClaim && needs.runs.isEmpty && needs.claims.isEmpty }

    /// Whether it is a large update of a run. A run has one in flight at a time, and what others write about its job is
    /// valid before it and after it, so these may be overtaken.
    var isLargeUpdate: Bool { bytes >= Self.largeBytesMin && !needs.runs.isEmpty }

    /// The size from which an update is large.
    private static let largeBytesMin = 64 << 10

    /// Delivers the kept answer, after the commit.
    func deliver() {
        if isOver.exchange(true, ordering: .acquiringAndReleasing) { return }
        answer?()
    }

    /// Answers that nothing was done.
    func refuse(_ error: JobStoreError) {
        if isOver.exchange(true, ordering: .acquiringAndReleasing) { return }
        refusal(error)
    }

    /// Answers with a failure of the database.
    func refuse(_ failure: PostgresFailure) {
        var error = failure.storeError(doing: "Storing a change failed")
        if failure.isInDoubt {
            // The journal of a run may have what it has just sent: it must not send that again. Another run goes on
            // from what is stored.
            if let claim = needs.runs.first ?? needs.claims.first { return refuse(.staleClaim(claim)) }
            error.note(unsure: needs.submissions.map { $0.record.id })
        }
        refuse(error)
    }
}
