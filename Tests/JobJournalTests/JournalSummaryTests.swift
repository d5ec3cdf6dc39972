@testable import JobJournal
@testable import JobKit
import StrictJSON
import Testing

@Suite struct `The summary of a journal` {
    /// A run's view of the history of an operation.
    private struct Known: Equatable {
        var startedAt, finishedAt: Timestamp?
        var lastAttempt: Int
        var open: OperationHistory.OpenAttempt?
        var notes: [String: String]
        var ending: OperationEnding?
        // Irrelevant once it has ended.
        var seriesStartedAt: Timestamp?
        var attemptsCounted, pollsMade: Int?
        var lastError: AOperationError?
        var wait: OperationWait?
        var waitingSince: [ByteKey: Timestamp]?
    }

    private func known(_ entries: [JournalEntry]) -> [[String]: Known] {
        JournalFold(entries).histories.mapValues { history in
            let isOpen = history.ending == nil
            var known = Known(
                startedAt: history.startedAt, finishedAt: history.finishedAt,
                lastAttempt: history.lastAttempt, open: history.openAttempt,
                notes: history.notes.mapValues { "\($0)" }, ending: history.ending)
            guard isOpen else { return known }
            known.seriesStartedAt = history.seriesStartedAt
            known.attemptsCounted = history.attemptsCounted
            known.pollsMade = history.pollsMade
            known.lastError = history.lastError
            known.wait = history.wait
            known.waitingSince = history.waitingSince
            return known
        }
    }

    private static func at(_ seconds: Int) -> Timestamp {
        Timestamp(milliseconds: 1_800_000_000_000).advanced(by: .seconds(seconds))
    }

    /// The journal of a poll with this many requests, and other typical entries.
    private static func journal(polls: Int, path: [String] = []) -> [JournalEntry] {
        var entries = [JournalEntry(at: at(0), path: path, event: .started)]
        for number in 1...polls {
            let now = at(number * 10)
            let record = AttemptRecord(number: number, startedAt: now, finishedAt: now, outcome: .notDone)
            let wait = OperationWait(until: at(number * 10 + 10), reason: .poll)
            entries += [
                .attemptStarted(number: number, method: "GET", url: "https://a.example/"),
                .noted(name: "seen", value: .number(JSONNumber(Int64(number)))), .attemptFinished(record),
                .waiting(wait),
            ].map { JournalEntry(at: now, path: path, event: $0) }
        }
        return entries
    }

    @Test func `leaves out what is inside of parts of a map over lines that succeeded`() {
        let success = JournalEntry.Event.finished(OperationEnding(state: .succeeded))
        func part(_ number: String, _ rest: [JournalEntry.Event]) -> [JournalEntry] {
            let begun: [JournalEntry.Event] = [
                .started, .noted(name: NoteName.rest, value: 7),
                .noted(name: NoteName.items, value: .array([1])),
            ]
            let path = ["map", number]
            return begun.map { JournalEntry(at: Self.at(1), path: path, event: $0) }
                + [.took(message: number == "1" ? 5 : 6), success].map {
                    JournalEntry(at: Self.at(2), path: path + ["1"], event: $0)
                }
                + rest.map { JournalEntry(at: Self.at(3), path: path, event: $0) }
        }
        let entries = part("1", [success]) + part("2", [])
        let summary = JournalSummary(of: entries, last: 9)
        #expect(known(summary.entries).keys.contains(["map", "2", "1"]))
        #expect(summary.entries.count { $0.path == ["map", "1", "1"] } == 1)
        var (fold, short) = (JournalFold(entries), JournalFold(summary.entries))
        fold.forgetParts()
        short.forgetParts()
        #expect(fold.histories == short.histories)
        #expect(!short.histories.keys.contains(["map", "1", "1"]))
        let again = JournalSummary(of: summary.entries, last: 9)
        #expect(again.entries == summary.entries)
        #expect(JournalFold(again.entries).takenMessages == fold.takenMessages, "a signal is taken once")
        #expect(fold.histories[["map", "1"]]?.notes.keys.sorted() == [NoteName.rest])
    }

    @Test func `of a thousand polls is short and equivalent`() {
        let journal = Self.journal(polls: 1_000)
        let summary = JournalSummary(of: journal, last: 4_001)
        #expect(summary.entries.count < 10)
        #expect(known(summary.entries) == known(journal))
        #expect(JournalFold(summary.entries).histories[[]]?.pollsMade == 1_000)
    }

    @Test func `leaves out nothing of operations that were attempted once`() {
        let journal = (1...50).flatMap { Self.journal(polls: 1, path: ["\($0)"]) }
        #expect(JournalSummary(of: journal, last: 200).entries == journal)
    }

    @Test func `of a thousand runs of a repetition has three entries for each`() {
        let journal = (1...1_000).flatMap { run -> [JournalEntry] in
            let now = Self.at(run * 10)
            let record = AttemptRecord(number: 1, startedAt: now, finishedAt: now, outcome: .succeeded)
            let events: [JournalEntry.Event] = [
                .started, .attemptStarted(number: 1, method: "GET", url: "https://a.example/"),
                .attemptFinished(record),
                .finished(OperationEnding(state: .succeeded, result: .empty)),
            ]
            let wait = OperationWait(until: now.advanced(by: .seconds(10)), reason: .repetition)
            return events.map { JournalEntry(at: now, path: ["\(run)"], event: $0) }
                + [JournalEntry(at: now, path: [], event: .waiting(wait))]
        }
        let summary = JournalSummary(of: journal, last: 5_000)
        #expect(summary.entries.count == 3_002)
        #expect(known(summary.entries) == known(journal))
    }

    @Test(arguments: 0..<150) func `is equivalent to the journal wherever it is made, and again`(seed: UInt64)
    {
        var course = Course(seed: seed)
        let journal = course.entries(upTo: 120)
        for cut in stride(from: 1, to: journal.count, by: 7) {
            let first = JournalSummary(of: Array(journal[..<cut]), last: Int64(cut))
            let isRight = known(first.entries) == known(Array(journal[..<cut]))
            #expect(isRight, "after \(cut) entries")
            let later = min(cut + 11, journal.count)
            let second = JournalSummary(of: first.entries + journal[cut..<later], last: Int64(later))
            let isRightAgain = known(second.entries + journal[later...]) == known(journal)
            #expect(isRightAgain, "after \(cut) and \(later) entries")
            #expect(second.entries.count <= later)
        }
    }

    /// A random life of a few operations: tries, attempts, answers, crashes, waits and notes.
    private struct Course {
        private var state: UInt64
        private var numbers: [String: Int] = [:]
        private var open: Set<String> = []
        /// The operations that a person retried during an attempt.
        private var cutOff: Set<String> = []
        private var over: Set<String> = []

        init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

        private mutating func below(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(limit))
        }

        mutating func entries(upTo count: Int) -> [JournalEntry] {
            var entries: [JournalEntry] = []
            while entries.count < count {
                let name = ["a", "b", "c"][below(3)]
                let now = at(entries.count)
                for event in step(of: name, now) {
                    var path = [name]
                    if case .retried = event { path = [] }
                    entries.append(JournalEntry(at: now, path: path, event: event))
                }
            }
            return entries
        }

        private mutating func step(of name: String, _ now: Timestamp) -> [JournalEntry.Event] {
            if below(60) == 0 {
                over = []
                cutOff = open
                return [.retried(by: "ada")]
            }
            if over.contains(name) { return [] }
            let number = numbers[name] ?? 0
            if open.contains(name) {
                open.remove(name)
                let end = cutOff.remove(name) == nil ? below(4) : 3
                let outcome: AttemptRecord.Outcome = [.notDone, .notDone, .failed, .interrupted][end]
                var record = AttemptRecord(number: number, startedAt: now, finishedAt: now, outcome: outcome)
                if outcome == .failed { record.error = AOperationError(.httpStatus, detail: "\(number)") }
                return [.attemptFinished(record)]
            }
            switch below(9) {
            case 0: return [.waiting(OperationWait(until: now, reason: [.poll, .retry][below(2)]))]
            case 1:
                return [.noted(name: ["x", "$y"][below(2)], value: .number(JSONNumber(Int64(below(100)))))]
            case 2: return number == 0 ? [.started] : [.took(message: below(5) + 1)]
            case 3 where number > 0 && below(6) == 0:
                over.insert(name)
                let state: JobState = [.succeeded, .failed][below(2)]
                return [.finished(OperationEnding(state: state))]
            default:
                numbers[name] = number + 1
                open.insert(name)
                return [.attemptStarted(number: number + 1, method: "GET", url: "https://a.example/")]
            }
        }
    }
}
