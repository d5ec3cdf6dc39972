package import JobJournal
package import JobKit

/// The facts about a job that its run, a person or the store found out: why it did not succeed, what it produced, and
/// what it waits for.
package struct JobDetail: Sendable, Hashable {
    /// Why it did not succeed, the first one first; empty while it is not over, and after success.
    package var errors: [AOperationError] = []
    /// Why its last attempt failed, while another one will be made.
    package var lastError: AOperationError?
    /// What it produced.
    package var result: ResultSummary?
    /// Whether its work did not stop in time and was left behind.
    package var isAbandoned = false
    /// Who holds it, while it is not in flight.
    package var hold: JournalFold.HoldNote?
    /// The line for its unique key, while it waits in it.
    package var turn: Turn?
    /// Operations that wait, while it is suspended.
    package var waits: [WaitingOperation] = []
    /// How many of its operations are in each state, the root left out.
    package var operations: [JobState: Int] = [:]
    /// How far it was when it was suspended.
    package var progress: JobProgress?

    /// A job about which nothing is known.
    package init() {}

    /// A job that ended with these errors.
    package init(errors: [AOperationError]) { self.errors = errors }

    /// A job that waits in the line for its unique key.
    package struct Turn: Sendable, Hashable {
        /// The key.
        package var key: String
        /// The job that had it when this one came.
        package var holder: JobID
        /// When it came.
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
        /// Its name.
        package var name: String
        /// The names below the root; empty for the root.
        package var path: [String]
        /// Until when or for what.
        package var wait: OperationWait
        /// Since when.
        package var since: Timestamp?

        /// An operation that waits.
        package init(name: String, path: [String], wait: OperationWait, since: Timestamp?) {
            self.name = name
            self.path = path
            self.wait = wait
            self.since = since
        }
    }

    /// About how many bytes of JSON it makes.
    package var sizeEstimate: Int {
        var size = errors.reduce(0) { $0 + $1.sizeEstimate } + (lastError?.sizeEstimate ?? 0)
        if let result {
            size += 256 + result.headers.count + result.inline.count
        }
        return size + waits.count * 256 + 64
    }

    /// Whether nothing is known.
    package var isEmpty: Bool { self == JobDetail() }
}

extension JobDetail.WaitingOperation {
    /// The wait of an operation as its journal shows it; nil when it does not wait.
    package init?(_ view: OperationView) {
        guard let wait = view.wait else { return nil }
        self.init(name: view.name, path: view.path, wait: wait, since: view.waitingSince)
    }
}

extension AOperationError {
    /// About how many bytes of JSON it makes.
    fileprivate var sizeEstimate: Int {
        let answer = upstream.map { 512 + ($0.bodyExcerpt?.utf8.count ?? 0) } ?? 0
        return causes.reduce(512 + detail.utf8.count + answer) { $0 + $1.sizeEstimate }
    }
}
