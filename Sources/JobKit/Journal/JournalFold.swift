/// The state of every operation of a job, folded from its journal.
package struct JournalFold: Sendable {
    /// By path below the root; the root's path is empty.
    package var histories: [[String]: OperationHistory] = [:]
    /// The number of retries by people.
    package private(set) var retries = 0
    /// The time of the last retry by a person.
    package private(set) var retriedAt: Timestamp?
    /// The cancellation request since the last retry; nil without one.
    package private(set) var cancelRequest: CancelNote?

    /// A cancellation request.
    package struct CancelNote: Sendable, Hashable {
        package var by: String
        /// The reason, in the requester's words.
        package var reason: String?
        /// The code of the resulting error.
        package var code: ErrorCode
    }

    /// The messages from outside, in order.
    package private(set) var messages: [JobMessage] = []
    /// The numbers, from 1, of the messages that an operation took.
    package private(set) var takenMessages: Set<Int> = []
    /// The hold on the job; nil without one.
    package private(set) var hold: HoldNote?

    /// Whether a person holds the job.
    package var isHeld: Bool { hold != nil }

    /// A hold: no further operation starts.
    package struct HoldNote: Sendable, Hashable {
        /// The person who holds the job.
        package var by: String
        /// The reason, in that person's words.
        package var reason: String?
        /// The start of the hold.
        package var since: Timestamp

        package init(by: String, reason: String?, since: Timestamp) {
            self.by = by
            self.reason = reason
            self.since = since
        }
    }

    /// Folds the entries in order.
    package init(_ entries: some Sequence<JournalEntry>) {
        for entry in entries { apply(entry) }
    }

    /// Forgets what is inside of the parts of maps over lines that succeeded: their results are in files, and no run
    /// looks into them.
    package mutating func forgetParts() {
        let parts = histories.filter { $0.value.isEndedPart }.keys
        if parts.isEmpty { return }
        forget(inside: Set(parts))
    }

    /// Forgets what is inside of the part that an entry ends, if it does.
    package mutating func forgetPart(endedBy entry: JournalEntry) {
        guard case .finished = entry.event, histories[entry.path]?.isEndedPart == true else { return }
        forget(inside: [entry.path])
    }

    private mutating func forget(inside parts: Set<[String]>) {
        for part in parts { histories[part]?.notes[NoteName.items] = nil }
        histories = histories.filter { path, _ in
            !path.indices.contains { parts.contains(Array(path.prefix($0))) }
        }
    }

    /// Records an event; an operation that was kept from an earlier try and has a new event has started over.
    private mutating func note(_ entry: JournalEntry) {
        if let retriedAt, histories[entry.path]?.isKept == true {
            histories[entry.path]?.begAnew(at: retriedAt, always: true)
        }
        histories[entry.path, default: OperationHistory()].apply(entry)
    }

    /// A failure that was reported to an earlier try ends no later one.
    private mutating func endFailures() {
        for (number, message) in zip(1..., messages) {
            if case .report(let report) = message.content, report.failure != nil {
                takenMessages.insert(number)
            }
        }
    }

    /// Folds one more entry.
    package mutating func apply(_ entry: JournalEntry) {
        switch entry.event {
        case .retried:
            retriedAt = entry.at
            retries += 1
            cancelRequest = nil
            hold = nil
            endFailures()
            let successes = Set(histories.filter { $0.value.ending?.state == .succeeded }.keys)
            for path in histories.keys {
                // What is inside of a success stays as it is, failures and skips included.
                let isInside = path.indices.contains { successes.contains(Array(path.prefix($0))) }
                histories[path]?.begAnew(at: entry.at, unless: isInside)
            }
        case .cancelRequested(let by, let reason, let code):
            cancelRequest = CancelNote(by: by, reason: reason, code: code)
        case .message(let message):
            messages.append(message)
            switch message.content {
            case .hold(let reason):
                hold = hold ?? HoldNote(by: message.by, reason: reason, since: entry.at)
            case .release: hold = nil
            case .signal, .content, .report, .approval, .member: break
            }
        case .noted(NoteName.handedOut, _):
            // Made by another operation: this one does not begin with it.
            histories[entry.path, default: OperationHistory()].apply(entry)
        case .took(let number, _):
            takenMessages.insert(number)
            note(entry)
        default:
            note(entry)
        }
    }
}
