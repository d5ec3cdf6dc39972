/// The operator's side of a store: health, pressure, checks, backups and shutdown.
package protocol StoreCare: Sendable {
    /// Whether the store currently takes writes. Cheap enough for every request.
    var condition: StoreCondition { get }

    /// Calls `observer` whenever the condition changes, on a thread of the store. There is one observer; setting
    /// another replaces it.
    func observeCondition(_ observer: @escaping @Sendable (StoreCondition) -> Void)

    /// The pending writes.
    var pressure: StorePressure { get }

    /// The pending writes, and how long those of a tenant wait; nil means those without one. Cheap enough for every
    /// request.
    func pressure(of tenant: Tenant?) -> StorePressure

    /// The space on this machine; nil when the store has none here, or the system does not tell. Reads the disk.
    var space: StoreSpace? { get }

    /// Tests whether a write can be made durable: by making one, or, where a database is asked all the time, by
    /// whether it answers. Replies soon, whatever the database does.
    func checkHealth(reply: @escaping StoreReply<Void>)

    /// Whether the store was not closed before it was opened: its last process was killed, or the machine stopped.
    var wasLeftOpen: Bool { get }

    /// Verifies the whole store at low priority, and records damage in `condition`. The reply comes on a thread of the
    /// store.
    /// - Parameter readsFiles: whether content files are compared with their SHA-256; otherwise only with their length.
    /// - Throws (in the reply): `.unavailable` when the store cannot be read.
    func checkIntegrity(readsFiles: Bool, reply: @escaping StoreReply<IntegrityReport>)

    /// Copies a consistent snapshot of everything into a new data directory at `target`, while the store is in use. It
    /// includes every write acknowledged before the call. The reply comes on a thread of the store.
    /// - Throws (in the reply): `.unavailable` when `target` exists or cannot be written, `.diskFull`.
    func backUp(to target: String, reply: @escaping StoreReply<BackupSummary>)

    /// Finishes the writes that were started, releases the lock and closes everything. Later writes and reads are
    /// refused with `.unavailable`.
    func close() async
}
