import JobKit
import JobStore

/// A value of the store. Its error becomes the problem of an answer. Inlined, since status reads go through it.
@inline(__always)
func stored<Value>(_ value: @autoclosure () throws(JobStoreError) -> Value) throws(Problem) -> Value {
    do throws(JobStoreError) { return try value() } catch { throw Problem(error) }
}

extension Problem {
    /// The problem for an error of the store.
    init(_ error: JobStoreError) {
        self.init(error.code.kind, error.code.remedy.map { "\(error.detail) \($0)" } ?? error.detail)
        if let seconds = error.code.retryAfter { fields = [("Retry-After", String(seconds))] }
        if let (name, value) = error.fact { members = [(name, Array(value.utf8))] }
    }
}

/// The only place that knows which error of the store is which problem.
extension JobStoreError.Code {
    fileprivate var kind: ProblemKind {
        switch self {
        case .missing(let noun): noun.missing
        case .full(let noun): noun.full
        case .uploadUsed: .uploadInUse
        case .moved, .occurrenceTaken, .unavailable: .storageUnavailable
        case .wrongState, .revisionConflict: .invalidTransition
        case .uniqueTaken: .uniqueTaken
        case .mailboxFull: .mailboxFull
        case .approvalClosed(.approved), .approvalClosed(.rejected): .approvalDecided
        case .approvalClosed: .approvalClosed
        case .digestMismatch: .approvalStale
        case .settingConflict: .preconditionFailed
        case .lineFull: .queueHasNoRoom
        case .tenantLimited: .tenantLimited
        case .writesFull: .overloaded
        case .queueFull: .queueFull
        case .diskFull: .storageFull
        case .corrupt: .storageDamaged
        case .staleClaim, .leaseLost, .duplicateID: .internalError
        }
    }

    /// The advice to a client, where the store's own words have none.
    fileprivate var remedy: String? {
        switch self {
        case .missing(let noun): noun.remedy
        case .moved, .occurrenceTaken: "Send the request again."
        default: nil
        }
    }

    /// The seconds after which the same request may succeed.
    fileprivate var retryAfter: Int64? {
        switch self {
        case .moved, .occurrenceTaken: 1
        case .full(.bulk), .lineFull, .queueFull: 5
        case .diskFull: 10
        case .full(.upload), .corrupt: 60
        case .tenantLimited(let seconds): seconds
        default: nil
        }
    }
}

extension JobStoreError {
    /// A fact for programs: the name of a member, and JSON.
    fileprivate var fact: (name: String, value: String)? {
        switch code {
        case .wrongState(let state): ("state", "\"\(state.rawValue)\"")
        case .approvalClosed(let state): ("state", "\"\(state.rawValue)\"")
        case .uniqueTaken(let holder): ("job_id", "\"\(holder)\"")
        case .settingConflict(let version): ("version", "\(version)")
        case .lineFull(let queue, _): ("queue", "\"\(queue)\"")
        case .unavailable: unsureJob.map { ("job_id", "\"\($0)\"") }
        default: nil
        }
    }
}

extension StoredNoun {
    /// The word for one, in texts and in the log.
    var word: String {
        switch self {
        case .job: "job"
        case .approval: "approval"
        case .grant: "grant"
        case .template: "template"
        case .schedule: "schedule"
        case .bulk: "bulk action"
        case .upload: "upload"
        case .setting(.secret): "secret"
        case .setting(.connection): "connection"
        case .setting(.queue): "queue"
        case .setting(.origin): "host"
        case .setting(.hook): "hook"
        case .delivery: "delivery"
        }
    }

    /// The problem of a name or an id that there is not.
    var missing: ProblemKind {
        switch self {
        case .job: .jobNotFound
        case .approval: .approvalNotFound
        case .grant: .grantNotFound
        case .template: .templateNotFound
        case .schedule: .scheduleNotFound
        case .bulk: .bulkNotFound
        case .upload: .uploadNotFound
        case .setting(.secret): .secretNotFound
        case .setting(.connection): .connectionNotFound
        case .setting(.queue): .queueNotFound
        case .setting(.origin): .originNotFound
        case .setting(.hook): .hookNotFound
        case .delivery: .deliveryNotFound
        }
    }

    /// The problem of one more than there may be.
    fileprivate var full: ProblemKind {
        switch self {
        case .job, .approval, .delivery: .overloaded
        case .grant: .grantsFull
        case .template: .templatesFull
        case .schedule: .schedulesFull
        case .bulk: .bulksFull
        case .upload: .uploadsFull
        case .setting: .settingsFull
        }
    }

    fileprivate var remedy: String? {
        switch self {
        case .job, .approval, .grant, .bulk, .upload, .delivery: nil
        case .template: "GET /v1/templates lists them, PUT stores one."
        case .schedule, .setting(.secret), .setting(.connection), .setting(.hook): "Store it with PUT."
        case .setting(.queue): "Give it one with PUT."
        case .setting(.origin): "Set them with PUT."
        }
    }
}
