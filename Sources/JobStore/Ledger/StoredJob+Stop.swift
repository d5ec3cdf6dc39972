package import JobKit

/// Cancellation requests.
extension StoredJob {
    /// The effect of a cancellation request.
    package enum Stop: Equatable {
        /// It is cancelled with its operations, of which these are the last entries.
        case cancelled(inner: [JournalEntry])
        /// A run is to end it.
        case cancelling
        /// It was asked to stop before, or had ended.
        case alreadyCancelling, alreadyFinal
    }

    /// Cancels it, or requests that of its run: the one that it has, or the next.
    /// - Parameter lastWork: the work left in one that has begun. Asked when it is suspended.
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
        record.detail = request.detail
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
