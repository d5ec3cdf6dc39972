package import JobKit
internal import StrictJSON

// DESIGN
// A call that polls until the upstream is done records every attempt, a repetition everything in its runs, and they are
// suspended in between: each run would read everything that the earlier ones wrote. A polled attempt is irrelevant once
// a later one was answered, and so is the way to its end once an operation has ended, so these are omitted for runs.
// History, events and attempts are read from the journal itself.

/// The part of a long journal that a run needs, in as few entries as possible.
package struct JournalSummary: Sendable, Hashable {
    /// The number of the last entry that it covers, from 1.
    package var last: Int64
    /// The relevant entries, in order, and `leftOut` for the others.
    package var entries: [JournalEntry]

    /// Creates a summary from its parts.
    package init(last: Int64, entries: [JournalEntry]) {
        self.last = last
        self.entries = entries
    }

    /// Summarizes a journal.
    /// - Parameters:
    ///   - journal: all entries, or those of an earlier summary and all later ones.
    ///   - last: the number of the last of them.
    package init(of journal: [JournalEntry], last: Int64) {
        self.init(last: last, entries: [])
        for part in journal.split(after: \.isRetry) { entries += Self.summary(of: part) }
    }

    /// The relevant entries of one try.
    private static func summary(of entries: ArraySlice<JournalEntry>) -> [JournalEntry] {
        var courses: [[String]: Course] = [:]
        for (index, entry) in zip(entries.indices, entries) {
            courses[entry.path, default: Course()].note(entry.event, at: index)
        }
        var kept: [JournalEntry] = []
        let parts = Set(courses.filter { $0.value.isEndedPart }.keys)
        for (index, entry) in zip(entries.indices, entries) {
            if !parts.isEmpty, entry.isGone(with: parts) { continue }
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
        /// The index of its end.
        private var end: Int?
        private var hasSucceeded = false
        /// The index of the attempt before which none is relevant, and the number of attempts before.
        private var start: Int?
        private var attemptsBefore = 0
        private var pollsBefore = 0
        private var latest: (index: Int, number: Int)?
        /// The index of the attempt in flight.
        private var open: Int?
        private var attempts = 0
        private var polls = 0
        private var firstWaits: [ByteKey: Int] = [:]
        private var lastWait: Int?
        private var lastNotes: [String: Int] = [:]

        mutating func note(_ event: JournalEntry.Event, at index: Int) {
            switch event {
            case .attemptStarted(let number, _, _):
                (latest, open, attempts) = ((index, number), index, number)
            case .attemptFinished(let record):
                (open, attempts) = (nil, record.number)
                guard record.outcome == .notDone else { break }
                if let latest, latest.index != start {
                    (start, attemptsBefore, pollsBefore) = (latest.index, latest.number - 1, polls)
                }
                polls += 1
            case .leftOut(let number, let times):
                attempts = max(attempts, number)
                polls += times
            case .waiting(let wait):
                if firstWaits[ByteKey(wait.name)] == nil { firstWaits[ByteKey(wait.name)] = index }
                lastWait = index
            case .noted(let name, _):
                lastNotes[name] = index
            case .finished(let ending):
                end = index
                hasSucceeded = ending.state == .succeeded
            default:
                break
            }
        }

        /// Whether it is a part of a map over lines that succeeded.
        var isEndedPart: Bool { hasSucceeded && lastNotes[NoteName.rest] != nil }

        /// The replacement of omitted entries before this one; nil when there are none.
        func standIn(at index: Int) -> JournalEntry.Event? {
            if index == end {
                return attempts > 0 && open == nil ? .leftOut(attempts: attempts, polls: 0) : nil
            }
            guard end == nil, index == start, pollsBefore > 0 else { return nil }
            return .leftOut(attempts: attemptsBefore, polls: pollsBefore)
        }

        /// Whether an entry is still relevant.
        func counts(_ event: JournalEntry.Event, at index: Int) -> Bool {
            let isOver = index < (end ?? index)
            let isPast = isOver || index < (start ?? index)
            switch event {
            case .attemptStarted: return !isPast || isOver && index == open
            case .attemptFinished, .leftOut: return !isPast
            case .waiting(let wait):
                return !isOver && (firstWaits[ByteKey(wait.name)] == index || lastWait == index)
            case .noted(let name, _): return lastNotes[name] == index
            default: return true
            }
        }
    }
}

extension JournalEntry {
    /// Whether it is about something inside of these parts, or the lines of one, which its file replaces. That a
    /// message was taken counts for the whole job.
    fileprivate func isGone(with parts: Set<[String]>) -> Bool {
        if case .took = event { return false }
        if case .noted(NoteName.items, _) = event, parts.contains(path) { return true }
        return path.indices.contains { parts.contains(Array(path.prefix($0))) }
    }

    fileprivate var isRetry: Bool {
        if case .retried = event { true } else { false }
    }
}

extension Array {
    /// Splits after each element that satisfies `isLast`.
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
