package import JobKit

extension StoredJob {
    /// The effect of a cancellation request.
    package enum Stop: Equatable {
        /// The job is cancelled with its operations, whose last entries these are.
        case cancelled(inner: [JournalEntry])
        /// A run has to end the job.
        case cancelling
        /// The job was already being cancelled, or had ended.
        case alreadyCancelling, alreadyFinal
    }

    /// Cancels the job, or requests that of its current or next run.
    /// - Parameter lastWork: the remaining work of a started job. Called when the job is suspended.
    package mutating func stop<Failure: Error>(
        _ request: CancelRequest, lastWork: () throws(Failure) -> LastWork
    ) throws(Failure) -> Stop {
        if record.state.isFinal { return .alreadyFinal }
        if record.state == .cancelling { return .alreadyCancelling }
        let isRunning = record.state == .running
        var goesOn = isRunning
        var inner: [JournalEntry] = []
        if !isRunning, record.startedAt != nil {
            switch try lastWork() {
            case .operations: goesOn = true
            case .notes(let entries): inner = entries
            }
        }
        if goesOn {
            record.revision += 1
            record.state = .cancelling
            if !isRunning {
                record.dueAt = nil
                readyAt = record.createdAt
            }
            return .cancelling
        }
        record.revision += 1
        record.state = .cancelled
        record.detail = StoredDetail(
            JobDetail(errors: request.ending.errors), after: record.detail)
        endClaim()
        finish(at: request.at)
        return .cancelled(inner: inner)
    }
}

extension CancelRequest {
    /// The journal entries for the effect of the request.
    package func entries(for stop: StoredJob.Stop) -> [JournalEntry] {
        guard case .cancelled(let inner) = stop else { return [journal] }
        return [journal] + inner + [JournalEntry(at: at, path: [], event: .finished(ending))]
    }
}
