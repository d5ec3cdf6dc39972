package import JobKit

// DESIGN
// A call that is asked again and again until the upstream is done notes every attempt, a repetition all that its runs
// do, and they are suspended in between: each run would read all that the ones before it wrote. What an attempt said
// does not matter any more once a later one was answered, nor how an operation came to its end once it is over, so that
// is left out of what a run reads. History, events and attempts are read from the journal itself.

/// What a run needs to know of a long journal, in as few entries as that takes.
package struct JournalSummary: Sendable, Hashable {
    /// The number of the last entry of the journal that it stands for, from 1.
    package var last: Int64
    /// The entries that still count, in their order, and `leftOut` for those that do not.
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
            guard let course = courses[entry.path] else { continue }
            if let event = course.standIn(at: index) {
                kept.append(JournalEntry(at: entry.at, path: entry.path, event: event))
            }
            if course.counts(entry.event, at: index) { kept.append(entry) }
        }
        return kept
    }

    /// One operation in one try.
    private struct Course {
        /// Where it ended.
        private var end: Int?
        /// Where the attempt begins before which no other counts, and what came before that.
        private var start: Int?
        private var attemptsBefore = 0
        private var pollsBefore = 0
        private var latest: (index: Int, number: Int)?
        /// Where the attempt began that is in flight.
        private var open: Int?
        private var attempts = 0
        private var polls = 0
        private var firstWaits: [String: Int] = [:]
        private var lastWait: Int?
        private var lastNotes: [String: Int] = [:]

        mutating func note(_ event: JournalEntry.Event, at index: Int) {
            switch event {
            case .attemptStarted(let number, _, _):
                (latest, open, attempts) = ((index, number), index, number)
            case .attemptFinished(let record):
                (open, attempts) = (nil, record.number)
                guard record.outcome == .pending else { break }
                if let latest, latest.index != start {
                    (start, attemptsBefore, pollsBefore) = (latest.index, latest.number - 1, polls)
                }
                polls += 1
            case .leftOut(let number, let times):
                attempts = max(attempts, number)
                polls += times
            case .waiting(let wait):
                if firstWaits[wait.name] == nil { firstWaits[wait.name] = index }
                lastWait = index
            case .noted(let name, _):
                lastNotes[name] = index
            case .finished:
                end = index
            default:
                break
            }
        }

        /// What stands before an entry for those that were left out; nil when nothing does.
        func standIn(at index: Int) -> JournalEntry.Event? {
            if index == end {
                return attempts > 0 && open == nil ? .leftOut(attempts: attempts, polls: 0) : nil
            }
            guard end == nil, index == start, pollsBefore > 0 else { return nil }
            return .leftOut(attempts: attemptsBefore, polls: pollsBefore)
        }

        /// Whether an entry still says something.
        func counts(_ event: JournalEntry.Event, at index: Int) -> Bool {
            let isOver = index < (end ?? index)
            let isPast = isOver || index < (start ?? index)
            switch event {
            case .attemptStarted: return !isPast || isOver && index == open
            case .attemptFinished, .leftOut: return !isPast
            case .waiting(let wait): return !isOver && (firstWaits[wait.name] == index || lastWait == index)
            case .noted(let name, _): return lastNotes[name] == index
            default: return true
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
