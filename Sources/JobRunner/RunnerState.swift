import JobKit
import JobStore

/// The jobs that a runner holds, and what it is about to do.
struct RunnerState {
    /// This life of the server in the store.
    var owner = OwnerID.new()
    var runs: [JobID: JobRun] = [:]
    /// Those of them that are over and whose last update is being stored.
    var settling: Set<ObjectIdentifier> = []
    /// Jobs whose stop was asked for while no run of theirs was known.
    var stops: [JobID: ErrorCode] = [:]
    var isClaiming = false
    /// Whether a claim may find something: there was more than it took, or something has become runnable since.
    var mayFindMore = true
    var isDraining = false
    /// The drain has waited long enough: runs that go on are suspended.
    var isSuspending = false
    var isStarted = false
    var isTicking = false
    /// The jobs that are suspected of having ended the process.
    var lane = SuspectLane()
    /// When to look again for what falls due.
    var nextLook: Timestamp?
    var drained: [CheckedContinuation<Void, Never>] = []
    /// Whether new jobs may still be handed over after the drain began.
    var mayHaveArrivals = false
    /// Whether no job runs and none is just being taken.
    var isIdle: Bool { runs.isEmpty && !isClaiming && !lane.isClaiming && !mayHaveArrivals }
}
