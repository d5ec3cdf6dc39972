import JobStore
import StoreThreads

/// A queued write, which the writer thread runs and answers.
///
/// Each kind of write answers with a different type. That type is erased where a write is created, so that the writer
/// thread never works with generic values, which is slow.
// Safe because a command is handed over once, through the queue's lock: its caller keeps no reference, and from then on
// only the writer thread touches it.
final class StoreCommand: WaitingWrite, @unchecked Sendable {
    let owner: String
    let bytes: Int
    let cost: Int
    /// Whether another write of the same submission follows at once.
    let isFollowed: Bool
    /// Whether it is the update of a run.
    let isUpdate: Bool
    /// The time since which it waits, in monotonic nanoseconds; 0 where the queue does not ask for it. The queue sets
    /// it.
    var madeAt: Int64 = 0
    private let addedJobs: Int
    /// Whether it is about one job at most.
    private let isSmall: Bool
    private let work: @Sendable (WriterSession) throws(SQLiteFailure) -> () -> Void
    private let refusal: @Sendable (JobStoreError) -> Void
    private var answer: (() -> Void)?

    /// A write that runs `work` and answers through `reply`. `work` may run again when its group failed.
    /// - Parameters:
    ///   - owner: the name of the tenant; empty without one.
    ///   - addedJobs: the number of jobs, when it only adds some; their rows are gathered with those of its neighbours.
    ///   - isFollowed: see `JobStore.submit`.
    ///   - isUpdate: whether it is the update of a run.
    ///   - bytes: the approximate size of what it writes.
    ///   - rows: the number of jobs that it is about.
    init<Value: Sendable>(
        of owner: String = "", addedJobs: Int = 0, isFollowed: Bool = false, isUpdate: Bool = false,
        bytes: Int = 0, rows: Int = 1,
        reply: @escaping StoreReply<Value>,
        work: @escaping @Sendable (WriterSession) throws(SQLiteFailure) -> Result<Value, JobStoreError>
    ) {
        self.addedJobs = addedJobs
        self.owner = owner
        self.isFollowed = isFollowed
        self.isUpdate = isUpdate
        self.bytes = bytes
        isSmall = max(rows, addedJobs) <= 1
        cost = bytes + WriteCost.row * max(1, rows, addedJobs)
        self.work = { session throws(SQLiteFailure) in
            let outcome = try work(session)
            return { reply(outcome) }
        }
        refusal = { reply(.failure($0)) }
    }

    /// Runs the work inside the open transaction and keeps the answer.
    /// - Parameter isAlone: whether there is no other write yet whose rows could be gathered with its own.
    func run(in session: WriterSession, isAlone: Bool) throws(SQLiteFailure) {
        session.gathersRows = session.mayGatherRows && !(isAlone && isSmall)
        if addedJobs == 0 { try isUpdate ? session.insertGathered() : session.insertRows() }
        answer = try work(session)
    }

    /// Delivers the kept answer, after the commit.
    func deliver() { answer?() }

    /// Answers that nothing was done.
    func refuse(_ error: JobStoreError) { refusal(error) }
}
