package import StrictJSON

/// The state of one operation, from the journal.
package struct OperationHistory: Sendable, Hashable {
    /// The start of its execution, in the current try.
    package var startedAt: Timestamp?
    /// All finished attempts, in order.
    package var attempts: [AttemptRecord] = []
    /// An attempt without a recorded end: it was in flight when the process ended.
    package var openAttempt: OpenAttempt?
    /// The current wait; nil when there is none.
    package var wait: OperationWait?
    /// The start of each wait: the first time counts. By `OperationWait.name`.
    package var waitingSince: [ByteKey: Timestamp] = [:]
    /// The notes it made, by name.
    package var notes: [String: JSONValue] = [:]
    /// The messages that it took, by number.
    package var took: [Int] = []
    /// Its approvals, in order, including those of earlier tries.
    package var approvals: [ApprovalNote] = []
    /// The ending; nil when it has not ended.
    package var ending: OperationEnding?
    /// The time of its end.
    package var finishedAt: Timestamp?
    /// The number of retries since its last event, when it succeeded before them or is inside of one that did.
    package private(set) var retriesSince = 0
    /// Whether it is kept from an earlier try.
    package var isKept: Bool { retriesSince > 0 }
    /// The number of `attempts` of earlier tries.
    package var attemptsBefore = 0
    /// The numbers of the last attempts after which it started over although it had succeeded.
    private var anewAfter: [Int] = []
    /// The number of times it started over although it had succeeded.
    package var timesAnew: Int { anewAfter.count }
    /// The URLs of attempts that followed an answer, where they changed.
    private var follows: [Follow] = []
    /// The number of the last attempt without further details.
    private var attemptsLeftOut = 0
    /// The polls of the current try without further details.
    private var pollsLeftOut = 0

    /// An approval that it requested.
    package struct ApprovalNote: Sendable, Hashable {
        package var request: ApprovalRequest
        /// The outcome of its timeout; nil while there is time.
        package var expiredAs: Bool?
        /// Whether it was requested before a retry by a person.
        package var isEarlier = false
        /// Whether the approved work was done since, so that the approval no longer counts for a repetition.
        package var isSpent = false
    }

    /// Whether it is a part of a map over lines that succeeded.
    package var isEndedPart: Bool { ending?.state == .succeeded && notes[NoteName.rest] != nil }

    /// The attempt from which a different URL was requested; nil is the original one.
    private struct Follow: Sendable, Hashable {
        var attempt: Int
        var url: String?
    }

    /// An attempt without an end.
    package struct OpenAttempt: Sendable, Hashable {
        /// The number of the attempt.
        package var number: Int
        package var startedAt: Timestamp
        /// The method, for calls.
        package var method: String?
        /// The URL, for calls.
        package var url: String?
        /// The end of the attempt's try; nil in the current one.
        package var tryEndedAt: Timestamp?
    }

    package init() {}

    /// The number of the last attempt, 0 when there was none.
    package var lastAttempt: Int {
        openAttempt?.number ?? max(attempts.last?.number ?? 0, attemptsLeftOut)
    }

    /// The error of the last attempt of the current try.
    package var lastError: AOperationError? { attempts.dropFirst(attemptsBefore).last?.error }

    /// The attempts of the current try that count against the maximum: neither interrupted ones nor those up to the
    /// last poll.
    package var attemptsCounted: Int {
        var counted = 0
        for attempt in attempts.dropFirst(attemptsBefore) {
            if attempt.outcome == .notDone {
                counted = 0
            } else if attempt.outcome != .interrupted {
                counted += 1
            }
        }
        return counted
    }

    /// The start of the first attempt that counts against the maximum; nil when there is none.
    package var seriesStartedAt: Timestamp? {
        var start: Timestamp?
        for attempt in attempts.dropFirst(attemptsBefore) {
            if attempt.outcome == .notDone {
                start = nil
            } else if start == nil {
                start = attempt.startedAt
            }
        }
        return start ?? openAttempt.flatMap { $0.tryEndedAt == nil ? $0.startedAt : nil }
    }

    /// The polls of the current try.
    package var pollsMade: Int {
        pollsLeftOut + attempts.dropFirst(attemptsBefore).count { $0.outcome == .notDone }
    }

    /// The identity of the work for the upstream: the same in all attempts and tries, different when finished work is
    /// repeated.
    /// - Parameters:
    ///   - path: the path of the operation.
    ///   - attempt: the attempt; nil is the next one.
    package func callPath(_ path: [String], ofAttempt attempt: Int? = nil) -> [String] {
        let times = attempt.map { attempt in anewAfter.count { $0 < attempt } } ?? timesAnew
        guard times > 0, let last = path.last else { return path }
        return path.dropLast() + ["\(last)#\(times + 1)"]
    }

    /// The URL that an attempt requested because of an answer; nil when it made the call of the spec.
    package func followedURL(ofAttempt attempt: Int) -> String? {
        follows.last { $0.attempt <= attempt }?.url
    }

    private mutating func noteFollowing(ofAttempt number: Int) {
        let url = notes[NoteName.follow]?.string
        if url != follows.last?.url { follows.append(Follow(attempt: number, url: url)) }
    }

    mutating func apply(_ entry: JournalEntry) {
        switch entry.event {
        case .started:
            if startedAt == nil { startedAt = entry.at }
            wait = nil
        case .attemptStarted(let number, let method, let url):
            openAttempt = OpenAttempt(number: number, startedAt: entry.at, method: method, url: url)
            noteFollowing(ofAttempt: number)
            wait = nil
        case .attemptFinished(let record):
            attempts.append(record)
            if openAttempt?.tryEndedAt != nil { attemptsBefore = attempts.count }
            openAttempt = nil
        case .waiting(let wait):
            self.wait = wait
            if waitingSince[ByteKey(wait.name)] == nil { waitingSince[ByteKey(wait.name)] = entry.at }
        case .leftOut(let number, let polls):
            attemptsLeftOut = number
            if let open = openAttempt, open.number <= number { openAttempt = nil }
            pollsLeftOut += polls
        case .noted(let name, let value):
            notes[name] = value
        case .took(let number, _):
            took.append(number)
            wait = nil
        case .approvalRequested(let request):
            approvals.append(ApprovalNote(request: request))
        case .approvalExpired(let id, let isApproved):
            for index in approvals.indices where approvals[index].request.id == id {
                approvals[index].expiredAs = isApproved
            }
        case .finished(let ending):
            self.ending = ending
            finishedAt = entry.at
            wait = nil
        case .cancelRequested, .retried, .message:
            break
        }
    }

    /// The end of the current wait; nil without a wait or a date.
    package var waitingUntil: Timestamp? { wait?.until }

    /// Resets the history for a retry at `now`: everything but attempts, approvals and the notes whose names begin with
    /// `$` is cleared, unless it succeeded.
    /// - Parameters:
    ///   - always: whether success does not count, and lists of elements and choices are evaluated again.
    ///   - isKept: whether it stays as it is, however it ended.
    package mutating func begAnew(at now: Timestamp, always: Bool = false, unless isKept: Bool = false) {
        guard always || !isKept && ending?.state != .succeeded else {
            retriesSince += 1
            return
        }
        let (kept, leftOut, earlierApprovals, endedAt) = (
            attempts, attemptsLeftOut, approvals, finishedAt ?? now
        )
        let hasSucceeded = ending?.state == .succeeded
        let (anewAfter, follows) = (anewAfter + (hasSucceeded ? [lastAttempt] : []), follows)
        var open = openAttempt
        open?.tryEndedAt = openAttempt?.tryEndedAt ?? endedAt
        let lasting = notes.filter {
            $0.key.utf8.first == UInt8(ascii: "$") && !(always && NoteName.decisions.contains($0.key))
        }
        self = OperationHistory()
        notes = lasting
        attempts = kept
        attemptsLeftOut = leftOut
        self.anewAfter = anewAfter
        self.follows = follows
        attemptsBefore = kept.count
        openAttempt = open
        approvals = earlierApprovals.map { note in
            var note = note
            note.isEarlier = true
            note.isSpent = note.isSpent || hasSucceeded
            return note
        }
    }
}
