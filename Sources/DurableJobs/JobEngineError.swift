public import FoundationEssentials
public import JobKit
public import JobSpec
import JobStore

/// The reason why an engine refused a call. Nothing was changed.
public struct JobEngineError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The sort of a reason.
    public enum Code: Sendable, Hashable {
        /// Another engine or server uses the directory.
        case inUse
        /// The kinds cannot be used together, or an option is out of its range.
        case invalidOptions
        /// The spec, the parameters or the idempotency key is wrong; see `problems`.
        case invalidSpec
        /// There is no such job.
        case notFound
        /// The job has this state, in which the call has no meaning.
        case wrongState(JobState)
        /// This unfinished job has the unique key.
        case uniqueTaken(JobID)
        /// The idempotency key belongs to another submission, which made this job.
        case keyReused(JobID)
        /// So many jobs are unfinished that no more are accepted; the same call may succeed later.
        case full
        /// The engine stops, or has stopped.
        case stopped
        /// The directory or the disk cannot be used; the same call may succeed later.
        case unavailable
        /// The stored data is damaged, or belongs to another version.
        case corrupt
    }

    /// The sort of the reason.
    public let code: Code
    /// The reason with the remedy, for people.
    public let detail: String
    /// All that is wrong with the spec; empty for other codes than `invalidSpec`.
    public let problems: [SpecProblem]

    /// The detail.
    public var description: String { detail }

    init(_ code: Code, _ detail: String, problems: [SpecProblem] = []) {
        self.code = code
        self.detail = detail
        self.problems = problems
    }
}

extension JobEngineError: LocalizedError {
    /// The detail.
    public var errorDescription: String? { detail }
}

extension JobEngineError {
    static let stopped = JobEngineError(
        .stopped, "The engine of this job has stopped. The next one that is started on its directory goes on."
    )

    init(_ problems: SpecProblems) {
        let first = problems.list.first?.sentence ?? "The spec has problems."
        let more = problems.list.count > 1 ? " \(problems.list.count - 1) more in problems." : ""
        let rest = problems.isCut ? " The rest was not read; correct these first." : ""
        self.init(.invalidSpec, first + more + rest, problems: problems.list)
    }

    init(_ problem: SpecProblem) { self.init(SpecProblems([problem])) }

    init(_ error: JobStoreError) {
        let code: Code =
            switch error.code {
            case .missing: .notFound
            case .wrongState(let state): .wrongState(state)
            case .uniqueTaken(let holder): .uniqueTaken(holder)
            case .queueFull, .lineFull, .writesFull: .full
            case .corrupt: .corrupt
            default: error.isInUse ? .inUse : .unavailable
            }
        self.init(code, error.detail)
    }

    init(_ error: EngineSetupError) {
        self.init(error.code == .data ? .unavailable : .invalidOptions, error.detail)
    }
}
