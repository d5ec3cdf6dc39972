package import JobKit

/// Being stopped.
extension StoredJob {
    /// What a wish to stop did.
    package enum Stop: Equatable {
        /// It is over, and so is what stands in it: these are the last entries of that.
        case cancelled(inner: [JournalEntry])
        /// A run is to end it.
        case cancelling
        /// It was asked to stop before, or had ended.
        case alreadyCancelling, alreadyFinal
    }

    /// Stops it, or asks its run to: the one that it has, or one that is to come.
    /// - Parameter lastWork: what is left to do in one that has begun. Asked when it is put down.
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
    /// What is noted, by what became of the wish.
    package func entries(for stop: StoredJob.Stop) -> [JournalEntry] {
        guard case .cancelled(let inner) = stop else { return [journal] }
        return [journal] + inner + [JournalEntry(at: at, path: [], event: .finished(ending))]
    }
}
