internal import JobJournal
package import JobKit
internal import JobSpec

/// The remaining work of a started job that is cancelled while none of it is in flight.
package enum LastWork {
    /// Operations that run finally.
    case operations
    /// None but the ends of its operations in the journal.
    case notes([JournalEntry])

    /// Determines the remaining work.
    /// - Parameters:
    ///   - spec: the stored spec.
    ///   - journal: reads the job's journal, which has the added members. Called only for operations with members.
    package init<Failure: Error>(
        of spec: [UInt8], acceptedAt: Timestamp, stoppedAt: Timestamp,
        journal: () throws(Failure) -> [JournalEntry]
    ) throws(Failure) {
        self = .notes([])
        guard case .success(let read) = JobSpecReader.readStored(spec, now: acceptedAt),
            read.operation.hasInner
        else { return }
        if read.operation.hasFinally {
            self = .operations
            return
        }
        let fold = JournalFold(try journal())
        var whole = read
        if !fold.additions.isEmpty {
            guard
                case .success(let more) = JobSpecReader.readStored(
                    spec, adding: fold.additions, now: acceptedAt)
            else { return }
            whole = more
        }
        self =
            whole.operation.hasFinally ? .operations : .notes(fold.cancelledEntries(of: whole, at: stoppedAt))
    }
}
