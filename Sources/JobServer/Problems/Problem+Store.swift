import JobKit
import JobStore

/// A value of the store. Its error becomes the problem of an answer. Inlined, since status reads go through it.
@inline(__always)
func stored<Value>(_ value: @autoclosure () throws(JobStoreError) -> Value) throws(Problem) -> Value {
    do throws(JobStoreError) { return try value() } catch { throw Problem(error) }
}

extension Problem {
    /// The problem for an error of the store: the only place that knows which is which.
    init(_ error: JobStoreError) {
        switch error.code {
        case .notFound: self.init(.jobNotFound, error.detail)
        case .noApproval: self.init(.approvalNotFound, error.detail)
        case .noGrant: self.init(.grantNotFound, error.detail)
        case .wrongState(let state):
            self.init(.invalidTransition, error.detail)
            members = [("state", Array("\"\(state.rawValue)\"".utf8))]
        case .uniqueTaken(let holder):
            self.init(.uniqueTaken, error.detail)
            members = [("job_id", Array("\"\(holder)\"".utf8))]
        case .revisionConflict: self.init(.invalidTransition, error.detail)
        case .mailboxFull: self.init(.mailboxFull, error.detail)
        case .approvalClosed(let state):
            let isAnswered = state == .approved || state == .rejected
            self.init(isAnswered ? .approvalDecided : .approvalClosed, error.detail)
            members = [("state", Array("\"\(state.rawValue)\"".utf8))]
        case .digestMismatch: self.init(.approvalStale, error.detail)
        case .grantsFull: self.init(.grantsFull, error.detail)
        case .noTemplate: self.init(.templateNotFound, error.detail)
        case .templatesFull: self.init(.templatesFull, error.detail)
        case .noSetting(let kind): self.init(kind.unknown, "\(error.detail) \(kind.remedy)")
        case .settingsFull: self.init(.settingsFull, error.detail)
        case .settingConflict(let version):
            self.init(.preconditionFailed, error.detail)
            members = [("version", Array("\(version)".utf8))]
        case .lineFull(let queue, _):
            self.init(.queueHasNoRoom, error.detail)
            members = [("queue", Array("\"\(queue)\"".utf8))]
            fields = [("Retry-After", "5")]
        case .noSchedule: self.init(.scheduleNotFound, error.detail)
        case .scheduleMoved, .occurrenceTaken:
            self.init(.storageUnavailable, "\(error.detail) Send the request again.")
            fields = [("Retry-After", "1")]
        case .schedulesFull: self.init(.schedulesFull, error.detail)
        case .noBulk: self.init(.bulkNotFound, error.detail)
        case .bulkMoved:
            self.init(.storageUnavailable, "\(error.detail) Send the request again.")
            fields = [("Retry-After", "1")]
        case .bulksFull:
            self.init(.bulksFull, error.detail)
            fields = [("Retry-After", "5")]
        case .tenantLimited(let seconds):
            self.init(.tenantLimited, error.detail)
            fields = [("Retry-After", String(seconds))]
        case .writesFull: self.init(.overloaded, error.detail)
        case .queueFull:
            self.init(.queueFull, error.detail)
            fields = [("Retry-After", "5")]
        case .diskFull:
            self.init(.storageFull, error.detail)
            fields = [("Retry-After", "10")]
        case .unavailable:
            self.init(.storageUnavailable, error.detail)
            if let id = error.unsureJob { members = [("job_id", Array("\"\(id)\"".utf8))] }
        case .corrupt:
            self.init(.storageDamaged, error.detail)
            fields = [("Retry-After", "60")]
        case .staleClaim, .leaseLost, .duplicateID: self.init(.internalError, error.detail)
        }
    }
}

extension SettingKind {
    /// The problem of a name without a setting.
    var unknown: ProblemKind {
        switch self {
        case .secret: .secretNotFound
        case .connection: .connectionNotFound
        case .queue: .queueNotFound
        case .origin: .originNotFound
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .secret, .connection: "Store it with PUT."
        case .queue: "Give it one with PUT."
        case .origin: "Set them with PUT."
        }
    }
}
