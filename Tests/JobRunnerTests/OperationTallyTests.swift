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
        let bench = try await Bench { call, _ in
            call.url.description.hasSuffix("bad") ? .json(404, "{}") : .json(200, "{}")
        }
        let id = try await bench.submit(text)
        _ = try await bench.finished(id)
        let spec = try JobSpecReader.read(Array(text.utf8), now: bench.now).get()
        var fold = JournalFold([])
        var tally = OperationTally(fold, of: spec)
        for entry in try bench.store.makeReader().journal(id, after: 0, limit: 1_000).map(\.entry) {
            tally.note(entry, before: fold)
            fold.apply(entry)
            if entry.path.isEmpty, case .finished = entry.event { break }
            var counted = tally.counts
            counted.estimatedUntil = nil
            let whole = OperationCounts(JobRun.counts(fold.views(spec: spec, jobState: .running)))
            #expect(counted == whole, "\(entry.path)")
            #expect(!tally.isStale)
        }
        #expect(tally.counts.done == tally.counts.total && tally.counts.total > 0)
    }

    @Test(arguments: [20, 200])
    func `of many is made elsewhere, and misses no entry that is recorded meanwhile`(
        meanwhile: Int
    ) throws {
        let list = Array(0..<1_200)
        let text = #"{"type": "group", "map": {"items": \#(list), "operation": {\#(Self.value)}}}"#
        let spec = try JobSpecReader.read(Array(text.utf8), now: Timestamp(milliseconds: 0)).get()
        let items = JournalEntry(
            at: Timestamp(milliseconds: 0), path: [],
            event: .noted(name: NoteName.items, value: .array(list.map { .number(JSONNumber(Int64($0))) })))
        var fold = JournalFold([items])
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
        #expect(counts.counts(fold, of: spec) == (nil, true))
        var draft = RunCounts.Draft(fold, of: spec)
        end(1...meanwhile)
        // One count is made, however often it is asked for.
        #expect(counts.counts(fold, of: spec) == (nil, false))
        while let entries = counts.take(&draft) { draft.count(entries) }
        end((meanwhile + 1)...300)
        let (known, isDraftNeeded) = counts.counts(fold, of: spec)
        #expect(!isDraftNeeded)
        #expect([known?.total, known?.done, known?.failed] == [1_200, 300, 30])
        // A count of what is not so any more is not taken.
        counts.forget()
        #expect(counts.counts(fold, of: spec) == (nil, true))
        counts.forget()
        #expect(counts.take(&draft) == nil)
        #expect(counts.counts(fold, of: spec) == (nil, true))
    }

    @Test func `tells the end at the pace of the last ends`() throws {
        let text = #"{"type": "group", "map": {"items": \#(Array(0..<100)), "operation": {\#(Self.value)}}}"#
        let spec = try JobSpecReader.read(Array(text.utf8), now: Timestamp(milliseconds: 0)).get()
        let items = JournalEntry(
            at: Timestamp(milliseconds: 0), path: [],
            event: .noted(name: NoteName.items, value: .array((0..<100).map { .number(.init($0)) })))
        let fold = JournalFold([items])
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
