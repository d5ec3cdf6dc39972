// DESIGN
// A call that is asked again and again until the other side is done notes every attempt, and it is put down between
// them: each run would read all that the ones before it wrote. What an attempt said does not matter any more once a
// later one was answered, or the operation is over, so it is left out of what a run reads. History, events and
// attempts are read from the journal itself.

/// What a run needs to know of a long journal, in as few entries as that takes.
package struct JournalSummary: Sendable, Hashable {
    /// The number of the last entry of the journal that it stands for, from 1.
    package var last: Int64
    /// The entries that still count, in their order, and `polled` for those that were left out.
    package var entries: [JournalEntry]

    /// A summary that is known already.
    package init(last: Int64, entries: [JournalEntry]) {
        self.last = last
        self.entries = entries
    }

    /// Sums up a journal.
    /// - Parameters:
    ///   - journal: all of its entries, or an earlier summary's and all after it.
    ///   - last: the number of the last of them.
    package init(of journal: [JournalEntry], last: Int64) {
        self.init(last: last, entries: [])
        for part in journal.split(after: \.isRetry) { entries += Self.summary(of: part) }
    }

    /// The entries of one try that still count.
    private static func summary(of entries: ArraySlice<JournalEntry>) -> [JournalEntry] {
        var courses: [[String]: Course] = [:]
        for (index, entry) in zip(entries.indices, entries) {
            courses[entry.path, default: Course()].note(entry.event, at: index)
        }
        var kept: [JournalEntry] = []
        for (index, entry) in zip(entries.indices, entries) {
            guard let course = courses[entry.path], let start = course.start, index <= start else {
                kept.append(entry)
                continue
            }
            if index == start && course.polls > 0 {
                kept.append(JournalEntry(at: entry.at, path: entry.path, event: .polled(times: course.polls)))
            }
            if course.counts(entry.event, at: index) { kept.append(entry) }
        }
        return kept
    }

    /// One operation in one try.
    private struct Course {
        /// Where the attempt begins before which no other counts.
        var start: Int?
        /// How many before that were answered, and the other side was not done.
        var polls = 0
        private var latestStart: Int?
        private var pollsSoFar = 0
        private var firstWaits: [String: Int] = [:]
        private var lastNotes: [String: Int] = [:]

        mutating func note(_ event: JournalEntry.Event, at index: Int) {
            switch event {
            case .attemptStarted:
                latestStart = index
            case .attemptFinished(let record) where record.outcome == .pending:
                begin()
                pollsSoFar += 1
            case .polled(let times):
                pollsSoFar += times
            case .waiting(let wait):
                if firstWaits[wait.name] == nil { firstWaits[wait.name] = index }
            case .noted(let name, _):
                lastNotes[name] = index
            case .finished:
                begin()
            default:
                break
            }
        }

        private mutating func begin() {
            guard let latestStart else { return }
            if start != latestStart { polls = pollsSoFar }
            start = latestStart
        }

        /// Whether an entry that does not come after the start still says something.
        func counts(_ event: JournalEntry.Event, at index: Int) -> Bool {
            switch event {
            case .attemptStarted: index == start
            case .attemptFinished, .polled: false
            case .waiting(let wait): firstWaits[wait.name] == index
            case .noted(let name, _): lastNotes[name] == index
            default: true
            }
        }
    }
}

extension JournalEntry {
    fileprivate var isRetry: Bool {
        if case .retried = event { true } else { false }
    }
}

extension Array {
    /// The parts of it that end with an element that `isLast` holds for, or with the last.
    fileprivate func split(after isLast: (Element) -> Bool) -> [ArraySlice<Element>] {
        var parts: [ArraySlice<Element>] = []
        var rest = self[...]
        while let index = rest.firstIndex(where: isLast) {
            parts.append(rest[...index])
            rest = rest[(index + 1)...]
        }
        return rest.isEmpty ? parts : parts + [rest]
    }
}
