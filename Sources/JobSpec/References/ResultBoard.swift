internal import JobKit
internal import Synchronization

/// The endings of one job's operations by path, for the references of later ones.
final class ResultBoard: Sendable {
    private let endings = Mutex<[[String]: OperationEnding]>([:])
    private let past: (any OperationJournal)?

    /// The place of content that is too large for memory.
    let artifacts: (any ArtifactPlace)?
    /// The services of the job's calls.
    let services: CallServices
    /// Evaluates what would hold the loop for too long.
    let work: any LongWork
    /// The owner of that work.
    let owner: LongWorkOwner
    /// The steps of an evaluation that runs there.
    let evaluationSteps: Int

    /// - Parameter past: the endings of operations in earlier runs of the same job. Those inside an operation that is
    ///   restored as a whole are not reported again.
    init(
        past: (any OperationJournal)? = nil, artifacts: (any ArtifactPlace)? = nil,
        services: CallServices = CallServices(), work: any LongWork = WorkAtOnce(),
        owner: LongWorkOwner = LongWorkOwner(job: ""), evaluationSteps: Int = StepMeter.wholeMax
    ) {
        self.past = past
        self.artifacts = artifacts
        self.services = services
        self.work = work
        self.owner = owner
        self.evaluationSteps = evaluationSteps
    }

    func post(_ ending: OperationEnding, at path: [String]) { endings.withLock { $0[path] = ending } }

    func ending(at path: [String]) -> OperationEnding? {
        endings.withLock { $0[path] } ?? past?.history(of: path)?.ending
    }
}
