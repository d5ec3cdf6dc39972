public import StrictJSON

/// What the journal knows about one operation.
public struct OperationHistory: Sendable, Hashable {
    /// When its execution began, in the current try.
    public var startedAt: Timestamp?
    /// All attempts that are over, in order.
    public var attempts: [AttemptRecord] = []
    /// An attempt that began and of whose end nothing is known: it was in flight when the process ended.
    public var openAttempt: OpenAttempt?
    /// What it waits for; nil when it does not.
    public var wait: OperationWait?
    /// Since when it waits, or waited, for each thing: the first time counts. By `OperationWait.name`.
    public var waitingSince: [String: Timestamp] = [:]
    /// The notes it made, by name.
    public var notes: [String: JSONValue] = [:]
    /// The messages that it took, by number.
    public var took: [Int] = []
    /// What it asked people, in order, earlier tries included.
    public var approvals: [ApprovalNote] = []
    /// How it ended; nil when it has not.
    public var ending: OperationEnding?
    /// When it ended.
    public var finishedAt: Timestamp?
    /// Whether it succeeded before a person asked for another try, and nothing was noted of it since.
    public var isKept = false
    /// How many of `attempts` belong to earlier tries, before a person asked for another.
    public var attemptsBefore = 0
    /// The last attempts, by number, after which it was begun anew although it had succeeded.
    private var anewAfter: [Int] = []
    /// How many times it was begun anew although it had succeeded.
    package var timesAnew: Int { anewAfter.count }
    /// Which URL the attempts asked that followed an answer, where that changed.
    private var follows: [Follow] = []
    /// The number of the last attempt of which nothing else is known.
    private var attemptsLeftOut = 0
    /// Attempts of the current try that were answered and not done yet, and of which nothing else is known.
    private var pollsLeftOut = 0

    /// Something that it asked people.
    public struct ApprovalNote: Sendable, Hashable {
        /// What it asked.
        public var request: ApprovalRequest
        /// Whether nobody answered in time, and what that means; nil while there is time.
        public var expiredAs: Bool?
        /// Whether it was asked before a person asked for another try.
        public var isEarlier = false
        /// Whether what it was asked for was done since, so that a yes counts no more when that is to be done again.
        public var isSpent = false
    }

    /// From which attempt on another URL than the first one was asked; nil is the first one again.
    private struct Follow: Sendable, Hashable {
        var attempt: Int
        var url: String?
    }

    /// An attempt without an end.
    public struct OpenAttempt: Sendable, Hashable {
        /// Which attempt.
        public var number: Int
        /// When it began.
        public var startedAt: Timestamp
        /// The method, for calls.
        public var method: String?
        /// The URL, for calls.
        public var url: String?
        /// When the try ended that it belongs to; nil while that is the current one.
        public var tryEndedAt: Timestamp?
    }

    /// Nothing known yet.
    public init() {}

    /// The number of the last attempt made, 0 when there was none.
    public var lastAttempt: Int {
        openAttempt?.number ?? max(attempts.last?.number ?? 0, attemptsLeftOut)
    }

    /// What the last attempt of the current try failed with.
    public var lastError: AOperationError? { attempts.dropFirst(attemptsBefore).last?.error }

    /// Attempts of the current try that count against the limit: interrupted ones do not, nor anything up to the last
    /// one that was answered and not done yet.
    public var attemptsCounted: Int {
        var counted = 0
        for attempt in attempts.dropFirst(attemptsBefore) {
            if attempt.outcome == .pending {
                counted = 0
            } else if attempt.outcome != .interrupted {
                counted += 1
            }
        }
        return counted
    }

    /// When the first of the attempts began that count against the limit; nil when there is none.
    public var seriesStartedAt: Timestamp? {
        var start: Timestamp?
        for attempt in attempts.dropFirst(attemptsBefore) {
            if attempt.outcome == .pending {
                start = nil
            } else if start == nil {
                start = attempt.startedAt
            }
        }
        return start ?? openAttempt.flatMap { $0.tryEndedAt == nil ? $0.startedAt : nil }
    }

    /// Attempts of the current try that were answered, and the upstream was not done yet.
    public var pollsMade: Int {
        pollsLeftOut + attempts.dropFirst(attemptsBefore).count { $0.outcome == .pending }
    }

    /// What the upstream of its calls knows it by: the same in all attempts and tries of one piece of work, something
    /// else when it does again what it had done.
    /// - Parameters:
    ///   - path: its place.
    ///   - attempt: during which attempt; nil is the next one.
    package func callPath(_ path: [String], ofAttempt attempt: Int? = nil) -> [String] {
        let times = attempt.map { attempt in anewAfter.count { $0 < attempt } } ?? timesAnew
        guard times > 0, let last = path.last else { return path }
        return path.dropLast() + ["\(last)#\(times + 1)"]
    }

    /// The URL that an answer said to ask instead, when that attempt did; nil when it made the call of the spec.
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
            if waitingSince[wait.name] == nil { waitingSince[wait.name] = entry.at }
        case .leftOut(let number, let polls):
            attemptsLeftOut = number
            if let open = openAttempt, open.number <= number { openAttempt = nil }
            pollsLeftOut += polls
        case .noted(let name, let value):
            notes[name] = value
        case .took(let number):
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

    /// Until when it waits; nil when it does not, or no date ends the wait.
    public var waitingUntil: Timestamp? { wait?.until }

    /// Makes room for another try, which a person asked for at `now`: everything but attempts, approvals and the notes
    /// whose names begin with `$` is forgotten, unless it succeeded.
    /// - Parameter always: whether success does not count, and the list that it maps is made anew.
    package mutating func begAnew(at now: Timestamp, always: Bool = false) {
        guard always || ending?.state != .succeeded else {
            isKept = true
            return
        }
        let (kept, leftOut, asked, endedAt) = (attempts, attemptsLeftOut, approvals, finishedAt ?? now)
        let hasSucceeded = ending?.state == .succeeded
        let (anewAfter, follows) = (anewAfter + (hasSucceeded ? [lastAttempt] : []), follows)
        var open = openAttempt
        open?.tryEndedAt = openAttempt?.tryEndedAt ?? endedAt
        let lasting = notes.filter {
            $0.key.utf8.first == UInt8(ascii: "$") && !(always && $0.key == NoteName.items)
        }
        self = OperationHistory()
        notes = lasting
        attempts = kept
        attemptsLeftOut = leftOut
        self.anewAfter = anewAfter
        self.follows = follows
        attemptsBefore = kept.count
        openAttempt = open
        approvals = asked.map { note in
            var note = note
            note.isEarlier = true
            note.isSpent = note.isSpent || hasSucceeded
            return note
        }
    }
}
