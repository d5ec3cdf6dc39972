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

/// Whether a store can take writes, as far as it knows. Reads continue in every condition.
package enum StoreCondition: Sendable, Hashable {
    /// The store takes writes.
    case sound
    /// The disk is nearly full: new jobs are refused with `.diskFull`, all other writes are taken.
    case low(String)
    /// The disk is full: every write is refused with `.diskFull`. The store retries by itself.
    case full(String)
    /// The file cannot be written: every write is refused with `.unavailable`. The store retries by itself.
    case failing(String)
    /// Stored data is damaged, which does not heal. The store does what it still can; new work should be refused.
    case damaged(String)

    /// The reason for refusing new work; nil when it is accepted.
    package var refusal: JobStoreError? {
        switch self {
        case .sound: nil
        case .low(let detail), .full(let detail): JobStoreError(.diskFull, detail)
        case .failing(let detail): JobStoreError(.unavailable, detail)
        case .damaged(let detail): JobStoreError(.corrupt, detail)
        }
    }
}

/// The writes that wait to be stored.
package struct StorePressure: Sendable, Hashable {
    /// The number of pending writes.
    package var waiting = 0
    /// The number of those of the tenant whose pressure this is; all of them without one.
    package var own = 0
    /// The age of the oldest one, of the tenant.
    package var oldest: Duration = .zero
    /// The time for which the database has not answered so far: a part of the age that is no sign of load.
    package var silence: Duration = .zero

    package init(
        waiting: Int = 0, own: Int? = nil, oldest: Duration = .zero, silence: Duration = .zero
    ) {
        self.waiting = waiting
        self.own = own ?? waiting
        self.oldest = oldest
        self.silence = silence
    }
}

/// The disk of a store on this machine, and what the store takes of it. All in bytes.
package struct StoreSpace: Sendable, Hashable {
    package var freeBytes: Int
    /// The part of `freeBytes` that content and new jobs leave free.
    package var reserveBytes: Int
    /// The database and its log; nil when they are elsewhere.
    package var databaseBytes: Int?
    package var logBytes: Int?
    /// Finished content.
    package var contentBytes = 0
    /// Content that is being written, or that a later attempt resumes.
    package var unfinishedBytes = 0

    package init(freeBytes: Int, reserveBytes: Int) {
        self.freeBytes = freeBytes
        self.reserveBytes = reserveBytes
    }
}

/// The contents of a backup.
package struct BackupSummary: Sendable, Hashable {
    /// The directory with the copy.
    package var path: String
    /// The size of the database.
    package var bytes = 0
    /// The number of jobs.
    package var jobs = 0
    /// The number of content files.
    package var files = 0

    package init(path: String) { self.path = path }
}
