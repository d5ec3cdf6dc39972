/// Reads from the store.
package protocol StoreReading: Sendable {
    /// The side that servers which share the store have; nil when one server uses it.
    var shared: (any SharedStore)? { get }

    /// Rises with every change of a setting, before its reply comes: values read at a lower version are out of date.
    /// Cheap enough for every call.
    var settingsVersion: Int64 { get }

    /// Runs `body` with a shared reader, on a thread that suits the engine: on the caller's when reads are local.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any JobReader) throws(JobStoreError) -> Value
    ) async throws(JobStoreError) -> Value

    /// Creates a reader for one thread, which it blocks: for threads that may block, and for loops as long as reads are
    /// local. Each loop needs its own; sharing one between threads is safe, not fast.
    /// - Throws: `.unavailable`.
    func makeReader() throws(JobStoreError) -> any JobReader
}

extension StoreReading {
    /// Nil: for engines that one server uses.
    package var shared: (any SharedStore)? { nil }

    /// Whether other servers change the store, too: a job that was read may be out of date before this server hears of
    /// the change.
    package var isShared: Bool { shared != nil }
}

/// Reads of one store, local and synchronous: they block the calling thread. Every read sees all acknowledged writes.
package protocol JobReader: JobReads, JournalReads, ArtifactReads, HoldReads, CallbackReads, ApprovalReads,
    GrantReads, TemplateReads, SettingReads, QueueReads, ValidatorReads, ScheduleReads, BulkReads, AuditReads,
    ServerReads, OriginReads, UploadReads, StatsReads, DeliveryReads, StandingReads
{}
