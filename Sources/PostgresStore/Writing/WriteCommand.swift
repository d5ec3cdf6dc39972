import JobKit
import JobStore

/// The rows that a write will look for, so that those of a whole group are locked together and in order.
struct WriteNeeds: Sendable {
    /// Existing jobs.
    var ids: [JobID] = []
    /// The claims of runs that write to their jobs.
    var runs: [ClaimKey] = []
    /// The claims of runs that take or release exclusive keys.
    var claims: [ClaimKey] = []
    /// New jobs.
    var submissions: [NewJob] = []
    /// Exclusive keys that are taken or released.
    var keys: [String] = []

    mutating func add(_ other: WriteNeeds) {
        ids += other.ids
        runs += other.runs
        claims += other.claims
        submissions += other.submissions
        keys += other.keys
    }
}

/// A queued write, which the writer thread runs and answers.
// Safe because a command is handed over once, through the queue's lock: its caller keeps no reference, and from then on
// only the writer thread touches it.
final class WriteCommand: @unchecked Sendable {
    let needs: WriteNeeds
    let madeAt = ContinuousClock.now
    /// The approximate size of a large write.
    let bytes: Int
    /// Whether it is a claim, which goes ahead of other writes: it fills free slots.
    var isClaim = false
    private let work: @Sendable (WorkUnit) throws(PostgresFailure) -> () -> Void
    private let refusal: @Sendable (JobStoreError) -> Void
    private var answer: (() -> Void)?

    /// A write that runs `work` and answers through `reply`. `work` may run again when its group failed.
    init<Value: Sendable>(
        needs: WriteNeeds = WriteNeeds(), bytes: Int = 0,
        reply: @escaping @Sendable (Result<Value, JobStoreError>) -> Void,
        work: @escaping @Sendable (WorkUnit) throws(PostgresFailure) -> Result<Value, JobStoreError>
    ) {
        self.needs = needs
        self.bytes = bytes
        self.work = { unit throws(PostgresFailure) in
            let outcome = try work(unit)
            return { reply(outcome) }
        }
        refusal = { reply(.failure($0)) }
    }

    /// Runs the work inside the open transaction and keeps the answer.
    func run(in unit: WorkUnit) throws(PostgresFailure) { answer = try work(unit) }

    /// Delivers the kept answer, after the commit.
    func deliver() { answer?() }

    /// Answers that nothing was done.
    func refuse(_ error: JobStoreError) { refusal(error) }
}
