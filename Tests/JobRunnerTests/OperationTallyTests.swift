import HTTPMessage
import JobJournal
import JobKit
@testable import JobRunner
import JobSpec
import JobStore
import StrictJSON
import Testing

@Suite struct `The count of a job's operations` {
    private static let value = #""type": "value", "value": 1"#
    private static let call = #""type": "network", "retry": {"max_attempts": 1}"#

    /// Groups in groups, maps, repetitions, what is skipped and what comes finally.
    static let specs = [
        #"{"type": "group", "operations": [{"name": "a", \#(value)}, {"name": "b", \#(value), "after": ["a"]}]}"#,
        #"""
        {"type": "group", "ordered": true, "operations": [
          {"name": "a", \#(call), "request": "https://up.example/bad"},
          {"name": "never", "type": "group", "operations": [
            {"name": "x", \#(value)}, {"name": "y", "type": "group", "operations": [{"name": "z", \#(value)}]}]},
          {"name": "last", \#(value)}],
         "finally": [{"name": "f", "type": "group", "operations": [{"name": "g", \#(value)}]}]}
        """#,
        #"""
        {"type": "group", "succeed_when": {"max_failures": 2}, "map": {"items": ["good", "bad", "good", "bad"],
          "operation": {"type": "group", "ordered": true, "operations": [
            {"name": "one", \#(call), "request": {"url": "https://up.example/{item}", "vars": {"item": {"$item": ""}}}},
            {"name": "two", "type": "group", "operations": [{"name": "last", \#(value)}]}]}}}
        """#,
        #"""
        {"type": "group", "operations": [
          {"name": "again", "type": "repeat", "max_runs": 3, "operation": {"type": "group", "operations": [
            {"name": "x", \#(value)}, {"name": "y", \#(value)}]}},
          {"name": "each", "type": "group", "map": {"items": [], "operation": {\#(value)}}}]}
        """#,
    ]

    @Test(arguments: specs) func `is right behind each entry`(_ text: String) async throws {
        let (spec, entries) = try await Self.run(text)
        var fold = JournalFold([])
        var tally = OperationTally(fold, of: spec)
        for entry in entries {
            tally.note(entry, before: fold)
            fold.apply(entry)
            #expect(tally.bare == Self.whole(fold, spec), "\(entry.path)")
            #expect(!tally.isStale)
        }
        #expect(tally.counts.done == tally.counts.total && tally.counts.total > 0)
    }

    @Test(arguments: specs) func `is the sum of one up to any entry and of what changed behind it`(
        _ text: String
    ) async throws {
        let (spec, entries) = try await Self.run(text)
        for place in entries.indices {
            var fold = JournalFold(entries[..<place])
            let base = OperationTally(fold, of: spec)
            var changes = OperationTally(changesOf: spec)
            for entry in entries[place...] {
                changes.note(entry, before: fold)
                fold.apply(entry)
            }
            #expect(base.adding(changes).bare == Self.whole(fold, spec), "\(place)")
            #expect(!changes.isStale)
        }
    }

    /// The spec, and the entries of a job up to the last before the end of its root.
    private static func run(_ text: String) async throws -> (JobSpec, [JournalEntry]) {
        let bench = try await Bench { call, _ in
            call.url.description.hasSuffix("bad") ? .json(404, "{}") : .json(200, "{}")
        }
        let id = try await bench.submit(text)
        _ = try await bench.finished(id)
        let spec = try JobSpecReader.read(Array(text.utf8), now: bench.now).get()
        let entries = try bench.store.makeReader().journal(id, after: 0, limit: 1_000).map(\.entry)
        let end = entries.firstIndex { entry in
            if case .finished = entry.event { entry.path.isEmpty } else { false }
        }
        return (spec, Array(entries[..<(try #require(end))]))
    }

    private static func whole(_ fold: JournalFold, _ spec: JobSpec) -> OperationCounts {
        OperationCounts(JobRun.counts(fold.views(spec: spec, jobState: .running)))
    }

    @Test func `of many is made elsewhere, and misses no entry that is recorded meanwhile`() throws {
        let spec = try Self.map(of: 1_200)
        var fold = JournalFold([Self.list(of: 1_200)])
        var counts = RunCounts()
        func end(_ numbers: ClosedRange<Int>) {
            for number in numbers {
                let entry = JournalEntry(
                    at: Timestamp(milliseconds: Int64(number)), path: ["\(number)"],
                    event: .finished(OperationEnding(state: number % 10 == 0 ? .failed : .succeeded)))
                counts.note(entry, before: fold)
                fold.apply(entry)
            }
        }
        end(1...70)
        let (unknown, asked) = counts.counts(fold, of: spec)
        let draft = try #require(asked)
        #expect(unknown == nil)
        end(71...200)
        // One count is made, however often it is asked for.
        #expect(counts.counts(fold, of: spec).draft == nil)
        counts.take(draft.made(), of: draft)
        end(201...300)
        let (known, another) = counts.counts(fold, of: spec)
        #expect(another == nil)
        // It has the pace of the last ends, too.
        let atOnce = OperationTally(fold, of: spec).counts
        #expect(known == atOnce)
        #expect([known?.total, known?.done, known?.failed] == [1_200, 300, 30])
    }

    @Test func `of what is not so any more is not taken`() throws {
        let (before, now) = (try Self.map(of: 1_200), try Self.map(of: 1_500))
        var counts = RunCounts()
        let old = try #require(counts.counts(JournalFold([Self.list(of: 1_200)]), of: before).draft)
        counts.forget()
        counts.take(old.made(), of: old)
        let fold = JournalFold([Self.list(of: 1_500)])
        let (known, asked) = counts.counts(fold, of: now)
        let new = try #require(asked)
        #expect(known == nil)
        // The old one is done only now, while the new one is awaited.
        counts.take(old.made(), of: old)
        #expect(counts.counts(fold, of: now).known == nil)
        counts.take(new.made(), of: new)
        #expect(counts.counts(fold, of: now).known?.total == 1_500)
        counts.take(old.made(), of: old)
        #expect(counts.counts(fold, of: now).known?.total == 1_500)
    }

    private static func map(of count: Int) throws -> JobSpec {
        let text = #"{"type": "group", "map": {"items": \#(Array(0..<count)), "operation": {\#(value)}}}"#
        return try JobSpecReader.read(Array(text.utf8), now: Timestamp(milliseconds: 0)).get()
    }

    /// The entry with the items of a map.
    private static func list(of count: Int) -> JournalEntry {
        JournalEntry(
            at: Timestamp(milliseconds: 0), path: [],
            event: .noted(name: NoteName.items, value: .array((0..<Int64(count)).map { .number(.init($0)) })))
    }

    @Test func `tells the end at the pace of the last ends`() throws {
        let spec = try Self.map(of: 100)
        let fold = JournalFold([Self.list(of: 100)])
        var tally = OperationTally(fold, of: spec)
        #expect(tally.counts == OperationCounts(total: 100, done: 0, failed: 0))
        // A pause does not count for longer than the last ends do.
        for number in 1...90 {
            let at = Timestamp(milliseconds: Int64(number) * 100 + (number > 10 ? 3_600_000 : 0))
            let state: JobState = number % 30 == 0 ? .failed : .succeeded
            let end = OperationEnding(state: state)
            tally.note(JournalEntry(at: at, path: ["\(number)"], event: .finished(end)), before: fold)
            if number < 5 { #expect(tally.counts.estimatedUntil == nil) }
        }
        let counts = tally.counts
        #expect((counts.done, counts.failed) == (90, 3))
        #expect(counts.estimatedUntil == Timestamp(milliseconds: 3_600_000 + 9_000 + 1_000))
    }
}

extension OperationTally {
    /// The counts without a date.
    fileprivate var bare: OperationCounts {
        var counts = counts
        counts.estimatedUntil = nil
        return counts
    }
}
