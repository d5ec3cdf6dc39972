package import JobKit
package import JobSpec

/// The sorts of things in a store that have a name or an id.
package enum StoredNoun: Sendable, Hashable {
    case job
    case approval
    case grant
    case template
    case schedule
    case bulk
    case upload
    case delivery
    case setting(SettingKind)
}

/// Takes the answer of the store, on a thread of the store.
package typealias StoreReply<Value> = @Sendable (Result<Value, JobStoreError>) -> Void

/// The reason why the store refused a call. Nothing was changed.
package struct JobStoreError: Error, Sendable, Hashable {
    /// The reason of an error.
    package enum Code: Sendable, Hashable {
        /// There is none of this name or id.
        case missing(StoredNoun)
        /// The limit of their number is reached; of bulk actions and uploads safe to retry later, when some are over.
        case full(StoredNoun)
        /// It is over or has another revision than the expected one: it was changed since it was read.
        case moved(StoredNoun)
        /// The job's state does not allow the call.
        case wrongState(JobState)
        /// The job was claimed again, or has ended.
        case staleClaim
        /// The owner has no lease, or lost it.
        case leaseLost
        /// A job has this id already.
        case duplicateID
        /// This unfinished job holds the unique key.
        case uniqueTaken(JobID)
        /// The job has this revision rather than the required one.
        case revisionConflict(Int64)
        /// The job has received its maximum number of posts.
        case mailboxFull
        /// The approval was decided, has expired or was withdrawn.
        case approvalClosed(ApprovalState)
        /// The approval is for a different request than the one shown.
        case digestMismatch
        /// The setting has this version rather than the expected one; 0 when there is none.
        case settingConflict(Int64)
        /// The queue has room for no further job that waits; `waits` says that the submitter may wait for it. Safe to
        /// retry later.
        case lineFull(queue: String, waits: Bool)
        /// A planned time of the schedule is settled already.
        case occurrenceTaken
        /// A job uses the upload.
        case uploadUsed
        /// The limit of unfinished jobs is reached; safe to retry later.
        case queueFull
        /// There is no memory for another write that waits; safe to retry later.
        case writesFull
        /// The tenant is beyond its limits; safe to retry after so many seconds.
        case tenantLimited(seconds: Int64)
        /// The disk is full; safe to retry when there is space.
        case diskFull
        /// The store is closed, locked, or its file cannot be read or written; safe to retry.
        case unavailable
        /// The stored data is damaged.
        case corrupt
    }

    package var code: Code
    /// The action that failed, and the remedy for the operator.
    package var detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Whether another process uses the data directory.
    package var isInUse = false
    /// Whether the database does not answer, so that the same start of a program may succeed later.
    package var isAway = false
    /// The new job that may have been stored nevertheless, as it is not known whether a change was made.
    package var unsureJob: JobID?

    /// Names the new jobs of a change of which it is not known whether it was made.
    package mutating func note(unsure jobs: [JobID]) {
        guard let first = jobs.first else { return }
        guard jobs.count == 1 else {
            detail +=
                " The \(jobs.count) jobs may be stored, the first as \(first): look for it, or send the request again "
                + "with the same Idempotency-Key, and there is one of each."
            return
        }
        unsureJob = first
        detail +=
            " The job may be stored as \(first): look for it, or send the request again with the same "
            + "Idempotency-Key, and there is one."
    }

    /// Whether the same call may succeed later.
    package var isRetryable: Bool {
        switch code {
        case .queueFull, .writesFull, .tenantLimited, .lineFull, .full(.bulk), .full(.upload), .diskFull,
            .unavailable:
            true
        default: false
        }
    }
}

extension JobStoreError {
    /// The refusal of a write that has to wait, with the sizes of those that do, in MiB.
    package static func writesFull(_ own: Int, of all: Int) -> JobStoreError {
        JobStoreError(
            .writesFull,
            "\(own) MiB of yours and \(all - own) MiB of others wait to be stored, and one may have half of what "
                + "the others leave. Nothing was changed; send the request again later, and less at once.")
    }

    package static func noTemplate(_ name: String) -> JobStoreError {
        JobStoreError(.missing(.template), "There is no template \(name), or not in this version.")
    }

    package static func noSetting(_ kind: SettingKind, _ name: String) -> JobStoreError {
        let detail =
            switch kind {
            case .secret: "There is no secret \(name)."
            case .connection: "There is no connection \(name)."
            case .queue: "Queue \(name) has no configuration."
            case .origin: "\(name) has no limits."
            case .hook: "There is no hook \(name)."
            }
        return JobStoreError(.missing(.setting(kind)), detail)
    }

    /// - Parameter version: the current version; 0 when there is none.
    package static func settingConflict(_ name: String, _ version: Int64) -> JobStoreError {
        let found = version == 0 ? "\(name) does not exist" : "\(name) has version \(version)"
        return JobStoreError(
            .settingConflict(version),
            "\(found), which is not what the request expects. Read it again, and repeat the change.")
    }

    package static func lineFull(_ queue: String, _ spec: QueueSpec) -> JobStoreError {
        JobStoreError(
            .lineFull(queue: queue, waits: spec.whenFull == .wait),
            "\(spec.waitingMax ?? 0) jobs of queue \(queue) wait, which is its max_waiting. "
                + "Try again when some have begun.")
    }

    /// The error of a claim for suspects that all wait for the limits of their queues.
    package static let suspectsHeld = JobStoreError(
        .unavailable, "The limits of their queues hold all jobs back that are suspected of a crash.")

    package static func settingsFull(_ kind: SettingKind, _ limit: Int) -> JobStoreError {
        JobStoreError(.full(.setting(kind)), "\(limit) are stored, which is the limit.")
    }

    package static func templatesFull(_ limit: Int) -> JobStoreError {
        JobStoreError(.full(.template), "\(limit) versions of templates are stored, which is the limit.")
    }

    package static func noSchedule(_ name: String) -> JobStoreError {
        JobStoreError(.missing(.schedule), "There is no schedule \(name).")
    }

    package static func scheduleMoved(_ name: String) -> JobStoreError {
        JobStoreError(.moved(.schedule), "The schedule \(name) has changed meanwhile.")
    }

    package static func occurrenceTaken(_ time: Timestamp) -> JobStoreError {
        JobStoreError(.occurrenceTaken, "The planned time \(time) is settled already.")
    }

    package static func schedulesFull(_ limit: Int) -> JobStoreError {
        JobStoreError(.full(.schedule), "\(limit) schedules are stored, which is the limit.")
    }

    package static func noBulk(_ id: BulkID) -> JobStoreError {
        JobStoreError(.missing(.bulk), "There is no bulk action \(id). They are kept for 30 days.")
    }

    package static func bulkMoved(_ id: BulkID) -> JobStoreError {
        JobStoreError(.moved(.bulk), "The bulk action \(id) has moved on meanwhile.")
    }

    package static func bulksFull(_ limit: Int) -> JobStoreError {
        JobStoreError(
            .full(.bulk),
            "\(limit) bulk actions are running, which is the limit. Try again when some are over."
        )
    }

    package static func noUpload(_ id: UploadID) -> JobStoreError {
        JobStoreError(
            .missing(.upload),
            "There is no upload \(id). Uploads are kept for 24 hours, and longer only while a job uses them. Send the "
                + "content again with POST /v1/artifacts, and use the new id.")
    }

    package static func uploadUsed(_ id: UploadID) -> JobStoreError {
        JobStoreError(
            .uploadUsed,
            "A job uses the upload \(id), so it is kept. Erase the job first; unused uploads go by themselves."
        )
    }

    package static func uploadsFull(_ limit: Int) -> JobStoreError {
        JobStoreError(
            .full(.upload),
            "\(limit) uploads are kept, which is the limit. Delete some, or wait until some have expired.")
    }

    package static func notFound(_ id: JobID) -> JobStoreError {
        JobStoreError(
            .missing(.job), "There is no job \(id). It never existed, was erased, or its retention ended.")
    }

    /// The error of a post to a final job.
    package static func over(_ state: JobState) -> JobStoreError {
        JobStoreError(.wrongState(state), "The job is \(state.rawValue) and accepts no more changes.")
    }

    package static func duplicateID(_ id: JobID) -> JobStoreError {
        JobStoreError(.duplicateID, "There is a job \(id) already.")
    }

    package static func uniqueTaken(by holder: JobID) -> JobStoreError {
        JobStoreError(
            .uniqueTaken(holder),
            "Job \(holder), which is not finished, has the same unique key. Wait for it, or cancel it first.")
    }

    package static func queueFull(_ limit: Int) -> JobStoreError {
        JobStoreError(
            .queueFull, "\(limit) jobs are unfinished, which is the limit. Try again when some have ended.")
    }

    /// The error after `close`.
    package static let closed = JobStoreError(.unavailable, "The store is closed.")

    package static func noGrant(_ name: String) -> JobStoreError {
        JobStoreError(
            .missing(.grant), "No decision about the grant \(name) was made, and no job waits for it.")
    }

    package static func grantsFull(_ limit: Int) -> JobStoreError {
        JobStoreError(.full(.grant), "There are \(limit) grants, which is the limit. Delete some first.")
    }
}
