import JobStore

/// One write on its way: queued by its caller, run and answered by the writer thread.
///
/// What is answered has a type of its own for each kind of write. That type is known where a write is made and nowhere
/// after it, so that the writer thread never works with a value of unknown type, which is slow.
// Safe because a command is handed over once, through the queue's lock: its caller keeps no reference, and from then
// on only the writer thread touches it.
final class StoreCommand: @unchecked Sendable {
    /// Whether a write that belongs to it comes at once.
    let isFollowed: Bool
    /// About how many bytes it writes, where that may be many; see `WriteQueue`.
    let bytes: Int
    private let addsJobs: Bool
    private let work: @Sendable (WriterSession) throws(SQLiteFailure) -> () -> Void
    private let refusal: @Sendable (JobStoreError) -> Void
    private var answer: (() -> Void)?

    /// A write that does `work` and answers through `reply`. `work` may be run again when its group failed.
    /// - Parameters:
    ///   - addsJobs: whether it does nothing but add jobs; their rows are gathered with those of its neighbours.
    ///   - isFollowed: see `JobStore.submit`.
    init<Value: Sendable>(
        addsJobs: Bool = false, isFollowed: Bool = false, bytes: Int = 0,
        reply: @escaping @Sendable (Result<Value, JobStoreError>) -> Void,
        work: @escaping @Sendable (WriterSession) throws(SQLiteFailure) -> Result<Value, JobStoreError>
    ) {
        self.addsJobs = addsJobs
        self.isFollowed = isFollowed
        self.bytes = bytes
        self.work = { session throws(SQLiteFailure) in
            let outcome = try work(session)
            return { reply(outcome) }
        }
        refusal = { reply(.failure($0)) }
    }

    /// Does the work inside the open transaction and keeps the answer.
    func run(in session: WriterSession) throws(SQLiteFailure) {
        if !addsJobs { try session.insertRows() }
        answer = try work(session)
    }

    /// Gives the kept answer, after the commit.
    func deliver() { answer?() }

    /// Answers that nothing was done.
    func refuse(_ error: JobStoreError) { refusal(error) }
}
