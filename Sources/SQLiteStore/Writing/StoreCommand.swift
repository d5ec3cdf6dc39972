import JobStore

/// A queued write, which the writer thread runs and answers.
///
/// Each kind of write answers with a different type. That type is erased where a write is created, so that the writer
/// thread never works with generic values, which is slow.
// Safe because a command is handed over once, through the queue's lock: its caller keeps no reference, and from then on
// only the writer thread touches it.
final class StoreCommand: @unchecked Sendable {
    /// Whether another write of the same submission follows at once.
    let isFollowed: Bool
    /// The approximate size of a large write; see `WriteQueue`.
    let bytes: Int
    private let addedJobs: Int
    private let work: @Sendable (WriterSession) throws(SQLiteFailure) -> () -> Void
    private let refusal: @Sendable (JobStoreError) -> Void
    private var answer: (() -> Void)?

    /// A write that runs `work` and answers through `reply`. `work` may run again when its group failed.
    /// - Parameters:
    ///   - addedJobs: the number of jobs, when it only adds some; their rows are gathered with those of its neighbours.
    ///   - isFollowed: see `JobStore.submit`.
    init<Value: Sendable>(
        addedJobs: Int = 0, isFollowed: Bool = false, bytes: Int = 0,
        reply: @escaping @Sendable (Result<Value, JobStoreError>) -> Void,
        work: @escaping @Sendable (WriterSession) throws(SQLiteFailure) -> Result<Value, JobStoreError>
    ) {
        self.addedJobs = addedJobs
        self.isFollowed = isFollowed
        self.bytes = bytes
        self.work = { session throws(SQLiteFailure) in
            let outcome = try work(session)
            return { reply(outcome) }
        }
        refusal = { reply(.failure($0)) }
    }

    /// Runs the work inside the open transaction and keeps the answer.
    /// - Parameter isAlone: whether there is no other write yet whose rows could be gathered with its own.
    func run(in session: WriterSession, isAlone: Bool) throws(SQLiteFailure) {
        session.gathersRows = session.mayGatherRows && !(isAlone && addedJobs == 1)
        if addedJobs == 0 { try session.insertRows() }
        answer = try work(session)
    }

    /// Delivers the kept answer, after the commit.
    func deliver() { answer?() }

    /// Answers that nothing was done.
    func refuse(_ error: JobStoreError) { refusal(error) }
}
