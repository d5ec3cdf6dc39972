import JobKit

/// What a job that is asked to stop may have left to do: the operations that run finally, once it has begun.
enum LastWork {
    /// Whether there are any.
    /// - Parameters:
    ///   - spec: the stored spec.
    ///   - journal: reads the job's journal, which knows the members that were added. Asked only for groups.
    static func isLeft<Failure: Error>(
        in spec: [UInt8], acceptedAt: Timestamp, journal: () throws(Failure) -> [JournalEntry]
    ) throws(Failure) -> Bool {
        guard case .success(let read) = JobSpecReader.readStored(spec, now: acceptedAt),
            read.operation.hasInner
        else { return false }
        if read.operation.hasFinally { return true }
        let additions = JournalFold(try journal()).additions
        guard !additions.isEmpty,
            case .success(let whole) = JobSpecReader.readStored(spec, adding: additions, now: acceptedAt)
        else { return false }
        return whole.operation.hasFinally
    }
}
