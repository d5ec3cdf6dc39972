package import JobKit

/// Why the store did not do what it was asked. Nothing was changed.
package struct JobStoreError: Error, Sendable, Hashable {
    /// What went wrong.
    package enum Code: Sendable, Hashable {
        /// There is no such job.
        case notFound
        /// The job's state does not allow it.
        case wrongState(JobState)
        /// Another claim came later, or the job ended.
        case staleClaim
        /// A job has this id already.
        case duplicateID
        /// This unfinished job has the unique key.
        case uniqueTaken(JobID)
        /// The job has another revision than the one asked for.
        case revisionConflict(Int64)
        /// The job was sent too much.
        case mailboxFull
        /// The approval was answered, has expired or was withdrawn.
        case approvalClosed(ApprovalState)
        /// The approval is for another request than the one that was seen.
        case digestMismatch
        /// There are too many grants.
        case grantsFull
        /// There is no such template.
        case noTemplate
        /// There are too many templates.
        case templatesFull
        /// There is no such secret or connection.
        case noSetting
        /// There are too many secrets or connections.
        case settingsFull
        /// Too many jobs are unfinished; safe to try again later.
        case queueFull
        /// The disk is full; safe to try again when there is space.
        case diskFull
        /// The store is closed, locked, or its file cannot be read or written; safe to try again.
        case unavailable
        /// The stored data is damaged.
        case corrupt
    }

    /// What went wrong.
    package var code: Code
    /// What was being done, and what the person who runs the server can do.
    package var detail: String

    /// An error.
    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Whether somebody else uses the data directory.
    package var isInUse = false

    /// Whether the same call may succeed later.
    package var isRetryable: Bool {
        switch code {
        case .queueFull, .diskFull, .unavailable: true
        default: false
        }
    }
}

/// Limits of the store.
package struct StoreLimits: Sendable {
    /// How many jobs may be unfinished; beyond, submissions are refused. Default 1,000,000.
    package var unfinishedJobsMax = 1_000_000
    /// How many versions of templates there are at most. Default 10,000.
    package var templatesMax = 10_000
    /// How many secrets there may be, and how many connections. Default 1,000.
    package var settingsMax = 1_000
    /// How many marks of answers are kept, those of the last ones. Default 10,000.
    package var validatorsMax = 10_000
    /// How many posts one job takes in its life. Default 10,000.
    package var postsMax: Int64 = 10_000
    /// How many grants there may be. Default 10,000.
    package var grantsMax = 10_000

    /// The defaults.
    package init() {}
}

extension JobStoreError {
    /// There is no such template.
    package static func noTemplate(_ name: String) -> JobStoreError {
        JobStoreError(.noTemplate, "There is no template \(name), or not in this version.")
    }

    /// There is no such secret or connection.
    package static func noSetting(_ name: String) -> JobStoreError {
        JobStoreError(.noSetting, "There is no \(name).")
    }

    /// No further secret or connection is taken.
    static func settingsFull(_ limit: Int) -> JobStoreError {
        JobStoreError(.settingsFull, "\(limit) are stored, which is the limit.")
    }

    /// No further version is taken.
    static func templatesFull(_ limit: Int) -> JobStoreError {
        JobStoreError(.templatesFull, "\(limit) versions of templates are stored, which is the limit.")
    }
}
