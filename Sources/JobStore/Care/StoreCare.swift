/// The store as its operator sees it: whether it works, how much waits, its checks and backups, and its end.
package protocol StoreCare: Sendable {
    /// Whether writes are taken at this moment. Cheap enough to be asked for every request.
    var condition: StoreCondition { get }

    /// Calls `observer` whenever the condition changes, on a thread of the store. There is one observer; the last one
    /// set counts.
    func observeCondition(_ observer: @escaping @Sendable (StoreCondition) -> Void)

    /// The writes that wait at this moment. Cheap enough to be asked for every request.
    var pressure: StorePressure { get }

    /// Whether a write can be made durable at this moment, tried by making one.
    func checkHealth(reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)

    /// Whether the store was not closed before it was opened: its last process was killed, or the machine stopped.
    var wasLeftOpen: Bool { get }

    /// Looks at all that is stored, without haste, and notes in `condition` when something is wrong. The reply comes on
    /// a thread of the store.
    /// - Parameter readsFiles: whether files with content are read and compared with their SHA-256; else only their
    ///   length is looked at.
    /// - Throws (in the reply): `.unavailable` when it cannot be read.
    func checkIntegrity(
        readsFiles: Bool, reply: @escaping @Sendable (Result<IntegrityReport, JobStoreError>) -> Void)

    /// Copies everything, as it is at one moment, into a new data directory at `target`, while the store is in use.
    /// Every write that was acknowledged before the call is in it. The reply comes on a thread of the store.
    /// - Throws (in the reply): `.unavailable` when `target` exists or cannot be written, `.diskFull`.
    func backUp(
        to target: String, reply: @escaping @Sendable (Result<BackupSummary, JobStoreError>) -> Void)

    /// Finishes the writes that were started, releases the lock and closes everything. Later writes and reads are
    /// refused with `.unavailable`.
    func close() async
}
