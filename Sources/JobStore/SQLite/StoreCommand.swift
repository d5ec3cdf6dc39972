/// One write on its way: queued by its caller, run and answered by the writer thread.
// Safe because a command is handed over once, through the queue's lock: its caller keeps no reference, and from then
// on only the writer thread touches it.
class StoreCommand: @unchecked Sendable {
    /// Does the work inside the open transaction and keeps the answer.
    func run(in session: WriterSession) throws(SQLiteFailure) {}

    /// Gives the kept answer, after the commit.
    func deliver() {}

    /// Answers that nothing was done.
    func refuse(_ error: JobStoreError) {}
}

/// A write that is answered with a `Value`.
// Safe because it adds nothing that another thread could touch: see `StoreCommand`.
final class StoreWrite<Value: Sendable>: StoreCommand, @unchecked Sendable {
    private let work: (WriterSession) throws(SQLiteFailure) -> Result<Value, JobStoreError>
    private let reply: @Sendable (Result<Value, JobStoreError>) -> Void
    private var answer: Result<Value, JobStoreError>?

    /// A write that does `work` and answers through `reply`. `work` may be run again when its group failed.
    init(
        reply: @escaping @Sendable (Result<Value, JobStoreError>) -> Void,
        work: @escaping @Sendable (WriterSession) throws(SQLiteFailure) -> Result<Value, JobStoreError>
    ) {
        self.reply = reply
        self.work = work
    }

    override func run(in session: WriterSession) throws(SQLiteFailure) { answer = try work(session) }

    override func deliver() {
        if let answer { reply(answer) }
    }

    override func refuse(_ error: JobStoreError) { reply(.failure(error)) }
}
