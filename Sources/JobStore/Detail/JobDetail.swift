package import JobJournal
package import JobKit

/// The facts about a job from its run, a person or the store: errors, result and waits.
package struct JobDetail: Sendable, Hashable {
    /// The errors, in order of precedence; empty until the end, and after success.
    package var errors: [AOperationError] = []
    /// The error of its last attempt, while another one is due.
    package var lastError: AOperationError?
    /// The result without large content.
    package var result: ResultSummary?
    /// Whether its work did not stop in time and was abandoned.
    package var isAbandoned = false
    /// The hold of a job that is not in flight.
    package var hold: JournalFold.HoldNote?
    /// The line for its unique key, while it waits in it.
    package var turn: Turn?
    /// Operations that wait, while it is suspended.
    package var waits: [WaitingOperation] = []
    /// The number of its operations by state, without the root.
    package var operations: [JobState: Int] = [:]
    /// The call of a job that ended: its own, or the one that failed it.
    package var call: Call?
    /// The progress at its suspension.
    package var progress: JobProgress?

    /// The size of the posts that no operation has taken, in bytes; see `StoreLimits.untakenBytesMax`. Kept until the
    /// job is erased.
    package var untakenBytes = 0
    /// The number of its retries by people. Kept until the job is erased.
    package var retries = 0
    /// The facts of its submission.
    package var submission = Submission()

    package init() {}

    /// The detail of a job that ended with these errors.
    package init(errors: [AOperationError]) { self.errors = errors }

    /// The detail of a job whose stored one cannot be read.
    package static let damaged = JobDetail(
        errors: [
            AOperationError(
                .storageDamaged,
                detail: "What the server noted about this job cannot be read: its row is damaged. "
                    + "Journal and result are kept elsewhere. Check the store: jobserver doctor.")
        ])

    /// The detail of a job of which only its submission is known.
    package init(_ submission: Submission) { self.submission = submission }

    /// A call as it was requested.
    package struct Call: Sendable, Hashable {
        package var method: String
        /// The URL without its query, in which credentials may be; at most 2 KiB.
        package var url: String
        /// The longest URL that is kept, in bytes.
        private static let urlBytesMax = 2 << 10

        package init(method: String, url: String) {
            self.method = method
            let bytes = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            let shown = bytes.count == url.utf8.count ? url : String(Substring(bytes))
            self.url = shown.utf8.count > Self.urlBytesMax ? shown.beginning(Self.urlBytesMax) : shown
        }
    }

    /// The position of a job in the line for its unique key.
    package struct Turn: Sendable, Hashable {
        package var key: String
        /// The holder when this job arrived.
        package var holder: JobID
        /// The time of its arrival.
        package var since: Timestamp

        /// A place in the line.
        package init(key: String, holder: JobID, since: Timestamp) {
            self.key = key
            self.holder = holder
            self.since = since
        }
    }

    /// One operation that waits.
    package struct WaitingOperation: Sendable, Hashable {
        package var name: String
        /// The names below the root; empty for the root.
        package var path: [String]
        /// The end or the cause of the wait.
        package var wait: OperationWait
        /// The start of the wait.
        package var since: Timestamp?

        /// An operation that waits.
        package init(name: String, path: [String], wait: OperationWait, since: Timestamp?) {
            self.name = name
            self.path = path
            self.wait = wait
            self.since = since
        }
    }

    /// The approximate size as JSON, in bytes.
    package var sizeEstimate: Int {
        var size = errors.reduce(0) { $0 + $1.byteCount } + (lastError?.byteCount ?? 0)
        if let call { size += 32 + call.method.utf8.count + call.url.utf8.count }
        if let result {
            size += 256 + result.headers.count + result.inline.count
        }
        return size + waits.count * 256 + 64 + submission.byteCount
    }

    /// Whether there are no facts.
    package var isEmpty: Bool {
        errors.isEmpty && lastError == nil && result == nil && !isAbandoned && hold == nil && turn == nil
            && waits.isEmpty && operations.isEmpty && call == nil && progress == nil && untakenBytes == 0
            && retries == 0 && submission.isEmpty
    }
}

extension JobDetail.WaitingOperation {
    /// The wait of an operation according to its journal; nil when it does not wait.
    package init?(_ view: OperationView) {
        guard let wait = view.wait else { return nil }
        self.init(name: view.name, path: view.path, wait: wait, since: view.waitingSince)
    }
}
