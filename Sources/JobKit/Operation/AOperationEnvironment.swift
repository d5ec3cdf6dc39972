/// The world as operations see it: time, calls, a journal when they must outlive the process, and the exclusive keys
/// they share. A queue has one; everything on it and below it uses it.
public struct AOperationEnvironment: Sendable {
    /// The clock.
    public var clock: any AOperationClock
    /// Makes calls; nil refuses them.
    public var transport: (any Transport)?
    /// Exclusive keys, shared by everything that must not run at the same time.
    public var exclusion: ExclusionRegistry
    /// Unique keys, shared by everything of which there must be one at a time.
    public var uniqueness = UniquenessRegistry()
    /// Where operations run; nil is Swift's shared pool.
    public var executor: (any TaskExecutor)?
    /// The messages to its operations from outside.
    public var inbox = JobInbox()
    /// Where named permissions are kept; nil keeps none.
    public var grants: (any GrantBook)?
    /// A collision-resistant digest, as text; binds what a person approved to what is done. Without
    /// one, approvals cannot be asked for.
    public var digest: (@Sendable ([UInt8]) -> String)?
    /// The validators of earlier answers, for calls that ask whether anything changed; nil keeps none.
    public var validators: (any ValidatorBook)?
    /// Secret values by name; nil has none.
    public var vault: (any SecretVault)?
    /// The digests of signatures; nil refuses signed calls.
    public var digests: (any MessageDigests)?
    /// Takes secret values out of everything that is captured.
    public var scrubber = SecretScrubber()
    /// The origins of calls and their health, which gates further calls. Shared by everything that calls.
    public var origins = OriginBoard()
    /// Where content is kept that is too large for memory; without one, calls hold theirs in memory.
    public var artifacts: (any ArtifactPlace)?
    /// Whether a person holds everything on the queue and below it.
    package var hold = TreeHold()
    /// Told how far operations are, with their paths. Called often: must be quick.
    package var progress: (@Sendable ([String], AOperationProgress) -> Void)?
    /// Where what happens is kept, for operations that outlive the process.
    package var journal: (any OperationJournal)?
    /// Told when operations begin to wait, so that their tree may be suspended meanwhile; nil keeps it in memory.
    package var supervisor: (any TreeSupervisor)?
    /// When the root was submitted, for deadlines and delays that count from there; nil is when it was added.
    package var submittedAt: Timestamp?
    /// The limits of one job's run.
    package var limits = RunLimits.standard
    /// The root begins nothing before this date, not even its conditions; nil is at once.
    package var notBefore: Timestamp?
    /// 0…1, anywhere: how waits are spread so that many do not come back at once.
    package var chance: @Sendable () -> Double = { .random(in: 0...1) }
    /// A text that is the same for every run of the same work, to make idempotency keys of.
    package var seed: String = ""

    /// An environment.
    public init(
        clock: any AOperationClock = SystemClock(), transport: (any Transport)? = nil,
        exclusion: ExclusionRegistry = ExclusionRegistry(), executor: (any TaskExecutor)? = nil
    ) {
        self.clock = clock
        self.transport = transport
        self.exclusion = exclusion
        self.executor = executor
    }
}
