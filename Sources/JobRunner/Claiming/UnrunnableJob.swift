internal import JobKit
internal import JobSpec

/// The errors of a claimed job that cannot run.
enum UnrunnableJob {
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
