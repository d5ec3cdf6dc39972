import JobKit
import JobStore

/// The runs of the engine, and its pending steps.
struct RunnerState {
    /// The owner id of this server process.
    var owner = OwnerID.new()
    /// The owner id under which the others know this server.
    var announced: OwnerID?
    var runs: [JobID: JobRun] = [:]
    /// The runs that are over and whose last update is being stored.
    var settling: Set<ObjectIdentifier> = []
    /// The number of runs without a slot, since their work waits for others.
    var lent = 0
    /// The number of runs that count: neither without a slot nor over.
    var working: Int { runs.count - settling.count - lent }
    /// Jobs whose stop was requested before their run was known.
    var stops: [JobID: JobRun.Stop] = [:]
    var isClaiming = false
    var claimPace = ClaimPace()
    /// Whether the owner of new claims has a lease, as far as is known.
    var hasLease = true
    /// Whether a claim may find something: the last one was full, or a job has become runnable since.
    var mayFindMore = true
    var isDraining = false
    /// Whether the drain has timed out, so that runs are suspended.
    var isSuspending = false
    var isStarted = false
    var isTicking = false
    /// The jobs suspected of having crashed the process.
    var lane = SuspectLane()
    /// The time of the next look for due jobs.
    var nextLook: Timestamp?
    var drained: [CheckedContinuation<Void, Never>] = []
    /// Whether new jobs may still be handed over after the drain began.
    var mayHaveArrivals = false
    /// Whether no job runs and none is being claimed.
    var isIdle: Bool { runs.isEmpty && !isClaiming && !lane.isClaiming && !mayHaveArrivals }
}
