internal import JobJournal
internal import JobKit
internal import JobSpec
internal import JobStore

/// The spec of a claimed job, and the errors of a job that cannot run.
enum ClaimReading {
    /// The spec of a claimed job, with the members that were added to it.
    static func spec(of claim: Claim) -> Result<KnownSpec, SpecProblems> {
        if claim.journal.isEmpty, let known = claim.reading { return .success(known) }
        let additions = claim.journal.isEmpty ? [] : JournalFold(claim.journal).additions
        return JobSpecReader.readStored(claim.spec, adding: additions, now: claim.record.createdAt)
            .map { KnownSpec($0) }
    }

    /// The error of a stored spec that cannot be read any more.
    static func unreadable(_ problems: SpecProblems) -> AOperationError {
        let first = problems.list.first.map { " \($0.sentence)" } ?? ""
        return AOperationError(
            .unexpected,
            detail: "The stored spec of this job cannot be read by this version of the server.\(first)")
    }

    static let hasEndedProcess = AOperationError(
        .crashed,
        detail: "The server died four times while this job ran, without any progress between, and the last "
            + "two times it ran apart from other suspects. It was not run again. Look at what ended the server "
            + "(its memory, the system's log) before you retry the job.")
}
