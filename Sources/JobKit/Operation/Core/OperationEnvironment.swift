/// The environment of operations: clock, transport, a journal when they must outlive the process, and their shared
/// exclusive keys. Each queue has one, which applies to everything on it and below it.
public struct OperationEnvironment: Sendable {
    /// The clock.
    public var clock: any OperationClock
    /// Makes calls; nil refuses them.
    public var transport: (any Transport)?
    /// The observers of every operation that is added to the queue itself; they follow its members where they say so.
    public var observers: [any OperationObserver] = []
    /// Surrounds the attempts of operations; nil traces nothing.
    public var tracer: (any OperationTracer)?
    /// Exclusive keys, shared by everything that must not run at the same time.
    public var exclusion: ExclusionRegistry
    /// Keeps the exclusive keys when several processes share them; `exclusion` then shows what is held here.
    package var keyKeeper: (any KeyKeeper)?
    /// The owner of its exclusive keys, which environments of other owners do not share; empty for none.
    package var keyOwner = ""
    /// Unique keys, shared by everything of which there must be one at a time.
    public var uniqueness = UniquenessRegistry()
    /// The executor of operations; nil is Swift's shared pool.
    public var executor: (any TaskExecutor)?
    /// The messages to its operations from outside.
    package var inbox = JobInbox()
    /// The book of named grants; nil has none.
    package var grants: (any GrantBook)?
    /// A collision-resistant digest, as text; ties an approval to the approved request. Without one, approvals cannot
    /// be requested.
    package var digest: (@Sendable ([UInt8]) -> String)?
    /// The validators of earlier answers, for calls that ask whether anything changed; nil keeps none.
    package var validators: (any ValidatorBook)?
    /// The uploads that calls may send; nil has none.
    package var uploads: (any UploadBook)?
    /// The callback URLs of its operations; nil has none.
    package var callbacks: (any CallbackDesk)?
    /// Secret values by name; nil has none.
    public var vault: (any SecretVault)?
    /// The digests of signatures; nil refuses signed calls.
    package var digests: (any MessageDigests)?
    /// Redacts secret values in everything that is captured.
    public var scrubber = SecretScrubber()
    /// The origins of calls and their health, which gates further calls. Shared by everything that calls.
    public var origins = OriginBoard()
    /// Runs what would hold its executor for too long; default at once.
    package var longWork: any LongWork = WorkAtOnce()
    /// The place for content that is too large for memory; without one, calls keep theirs in memory.
    package var artifacts: (any ArtifactPlace)?
    /// The name of the timeout over all attempts in texts of errors.
    package var timeoutName = "its timeout"
    /// Whether a person holds everything on the queue and below it.
    package var hold = TreeHold()
    /// Receives the progress of operations, with their paths. Called often: must not block.
    package var progress: (@Sendable ([String], OperationProgress) -> Void)?
    /// Fields that identify a call to its upstream, by the path and the attempt of the operation that makes it; nil
    /// adds none. A call that has the first of them is left alone.
    package var callFields: (@Sendable (_ path: [String], _ attempt: Int) -> [(name: String, value: String)])?
    /// The journal of operations that outlive the process.
    package var journal: (any OperationJournal)?
    /// Told when operations begin to wait, so that their tree may be suspended meanwhile; nil keeps it in memory.
    package var supervisor: (any TreeSupervisor)?
    /// The submission of the root, for deadlines and delays that count from there; nil is the time of its addition.
    package var submittedAt: Timestamp?
    /// Whether operations that have not begun by their date expire. Not after a retry, which is about the work itself.
    package var heedsStartBy = true
    /// The limits of one job's run.
    package var limits = RunLimits.standard
    /// The root begins nothing before this date, not even its conditions; nil is at once.
    package var notBefore: Timestamp?
    /// 0…1, anywhere: how waits are spread so that many do not come back at once.
    package var chance: @Sendable () -> Double = { .random(in: 0...1) }
    /// A text that is the same for every run of the same work, for idempotency keys.
    package var seed: String = ""

    /// An environment.
    public init(
        clock: any OperationClock = SystemClock(), transport: (any Transport)? = nil,
        exclusion: ExclusionRegistry = ExclusionRegistry(), executor: (any TaskExecutor)? = nil
    ) {
        self.clock = clock
        self.transport = transport
        self.exclusion = exclusion
        self.executor = executor
    }

    /// Content up to this size is worked through where it is: 64 KiB.
    static let shortBytesMax = 64 << 10
    /// Content up to this size is brief work: 32 MiB.
    private static let briefBytesMax = 32 << 20

    /// The owner of its long work.
    package var workOwner: LongWorkOwner { LongWorkOwner(tenant: keyOwner, job: seed) }

    /// The value of `work`, which goes through so many bytes: elsewhere when they are many.
    package func workedOut<Value: Sendable>(
        _ byteCount: Int, _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        if byteCount <= Self.shortBytesMax { return work() }
        let size: LongWorkSize = byteCount <= Self.briefBytesMax ? .brief : .long
        return await longWork.result(size, for: workOwner, of: work)
    }
}
