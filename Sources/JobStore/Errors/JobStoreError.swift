package import JobKit

/// Why the store did not do what it was asked. Nothing was changed.
package struct JobStoreError: Error, Sendable, Hashable {
    /// The reason of an error.
    package enum Code: Sendable, Hashable {
        /// There is no such job.
        case notFound
        /// The job's state does not allow it.
        case wrongState(JobState)
        /// Another claim came later, or the job ended.
        case staleClaim
        /// The owner has no lease, or lost it.
        case leaseLost
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

    /// The reason.
    package var code: Code
    /// The action that failed, and the remedy for the operator.
    package var detail: String

    /// An error.
    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Whether another process uses the data directory.
    package var isInUse = false

    /// Whether the same call may succeed later.
    package var isRetryable: Bool {
        switch code {
        case .queueFull, .diskFull, .unavailable: true
        default: false
        }
    }
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
    package static func settingsFull(_ limit: Int) -> JobStoreError {
        JobStoreError(.settingsFull, "\(limit) are stored, which is the limit.")
    }

    /// No further version is taken.
    package static func templatesFull(_ limit: Int) -> JobStoreError {
        JobStoreError(.templatesFull, "\(limit) versions of templates are stored, which is the limit.")
    }

    /// There is no such job.
    package static func notFound(_ id: JobID) -> JobStoreError {
        JobStoreError(.notFound, "There is no job \(id). It may have been erased when its retention ended.")
    }

    /// A final job takes no posts.
    package static func over(_ state: JobState) -> JobStoreError {
        JobStoreError(.wrongState(state), "The job is \(state.rawValue) and takes nothing any more.")
    }

    /// An id can be used once.
    package static func duplicateID(_ id: JobID) -> JobStoreError {
        JobStoreError(.duplicateID, "There is a job \(id) already.")
    }

    /// The unique key of a job is another's.
    package static func uniqueTaken(by holder: JobID) -> JobStoreError {
        JobStoreError(
            .uniqueTaken(holder),
            "Job \(holder), which is not finished, has the same unique key. Wait for it, or cancel it first.")
    }

    /// Too much is unfinished.
    package static func queueFull(_ limit: Int) -> JobStoreError {
        JobStoreError(
            .queueFull, "\(limit) jobs are unfinished, which is the limit. Try again when some have ended.")
    }

    /// After `close`.
    package static let closed = JobStoreError(.unavailable, "The store is closed.")

    /// There is no such grant.
    package static func noGrant(_ name: String) -> JobStoreError {
        JobStoreError(.notFound, "There is no grant \(name), and no job asks for it.")
    }

    /// Too many grants.
    package static func grantsFull(_ limit: Int) -> JobStoreError {
        JobStoreError(.grantsFull, "There are \(limit) grants, which is the limit. Delete some first.")
    }
}
