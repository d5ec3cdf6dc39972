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

    /// Forgets what is inside of an operation that has ended.
    func forget(inside path: [String]) {
        endings.withLock { endings in
            endings = endings.filter { $0.key.count <= path.count || !$0.key.starts(with: path) }
        }
    }

    /// The ending of an operation; of one inside an operation that was not run, how it ended with that. Nil when it has
    /// not ended.
    func ending(at path: [String]) -> OperationEnding? {
        if let ending = knownEnding(at: path) { return ending }
        for length in stride(from: path.count - 1, to: 0, by: -1) {
            guard let outer = knownEnding(at: Array(path.prefix(length))) else { continue }
            return outer.ofOneInside(named: path[length - 1])
        }
        return nil
    }

    private func knownEnding(at path: [String]) -> OperationEnding? {
        endings.withLock { $0[path] } ?? past?.history(of: path)?.ending
    }
}

extension OperationEnding {
    /// The ending of an operation that was not run since the one around it ended like this; nil when that succeeded.
    fileprivate func ofOneInside(named name: String) -> OperationEnding? {
        switch state {
        case .succeeded: return nil
        case .skipped:
            let detail = "Not run because the enclosing \(name) was not."
            let error = AOperationError(.dependencySkipped, detail: detail, causes: errors)
            return OperationEnding(state: .skipped, errors: [error])
        default:
            let error = AOperationError(
                .cancelledParent, detail: "Cancelled because the enclosing \(name) ended.")
            return OperationEnding(state: .cancelled, errors: [error])
        }
    }
}
