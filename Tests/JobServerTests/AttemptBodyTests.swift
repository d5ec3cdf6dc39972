import JobJournal
import JobKit
@testable import JobServer
import JobSpec
import StrictJSON
import Testing

@Suite struct `An attempt without an end` {
    private let now = Timestamp(milliseconds: 1_700_000_000_000)

    /// The outcome shown of the attempt of a job with one call.
    private func outcome(_ state: JobState, _ later: [JournalEntry.Event] = []) throws -> String? {
        let text = #"{"type": "network", "request": "https://x.example/"}"#
        let spec = try JobSpecReader.read(Array(text.utf8), now: now).get()
        let begun = JournalEntry.Event.attemptStarted(number: 1, method: "GET", url: "https://x.example/")
        let entries = ([.started, begun] + later).map { JournalEntry(at: now, path: [], event: $0) }
        let view = try #require(JournalFold(entries).views(spec: spec, jobState: state).first)
        var json = JSONWriter()
        guard OperationBody.append(attempt: 1, of: view, to: &json) else { return nil }
        return try JSONParser.parse(json.bytes).object?["state"]?.string
    }

    @Test(arguments: JobState.allCases)
    func `runs as long as its job is not over and does not rest`(state: JobState) throws {
        #expect(try outcome(state) == (state.isFinal || state.isResting ? "interrupted" : "running"))
    }

    @Test func `does not run in a later try`() throws {
        let ending = JournalEntry.Event.finished(OperationEnding(state: .cancelled))
        #expect(try outcome(.queued, [ending, .retried(by: "ada")]) == "interrupted")
    }
}
