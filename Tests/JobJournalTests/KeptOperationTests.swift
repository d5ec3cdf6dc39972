import JobJournal
import JobKit
import JobSpec
import StrictJSON
import Testing

@Suite struct `The operations of a retried job` {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func end(_ path: String, _ state: JobState, _ result: String? = nil) -> JournalEntry {
        let errors = state == .failed ? [AOperationError("http.status", detail: "No.")] : []
        let body = result.map {
            OperationResult(status: nil, headers: [], contentType: "application/json", body: Array($0.utf8))
        }
        return JournalEntry(
            at: now, path: path.split(separator: "/").map(String.init),
            event: .finished(OperationEnding(state: state, result: body, errors: errors)))
    }

    private func start(_ path: String) -> JournalEntry {
        JournalEntry(at: now, path: path.split(separator: "/").map(String.init), event: .started)
    }

    private var retried: JournalEntry { JournalEntry(at: now, path: [], event: .retried(by: "people")) }

    private func states(_ spec: String, _ entries: [JournalEntry], _ job: JobState) throws -> [String: String]
    {
        let spec = try JobSpecReader.read(Array(spec.utf8), now: now).get()
        var found: [String: String] = [:]
        for view in JournalFold(entries).views(spec: spec, jobState: job) {
            let error = view.errors.first.map { " \($0.code)" } ?? ""
            found[view.path.joined(separator: "/")] = view.state.rawValue + error
        }
        return found
    }

    @Test func `keep their ends inside of one that succeeded`() throws {
        let spec = #"""
            {"type":"group","operations":[{"type":"group","name":"g","succeed_when":"any","operations":[
              {"type":"value","name":"t","value":1},{"type":"value","name":"s","value":1},{"type":"value","name":"ok","value":1}]},
              {"type":"value","name":"x","value":1}]}
            """#
        let first = [
            start(""), start("g"), end("g/t", .failed), end("g/s", .skipped), end("g/ok", .succeeded),
            end("g", .succeeded), end("x", .failed), end("", .failed),
        ]
        let again = first + [retried, start(""), start("x"), end("x", .succeeded), end("", .succeeded)]
        #expect(
            try states(spec, again, .succeeded) == [
                "": "succeeded", "g": "succeeded", "g/t": "failed http.status", "g/s": "skipped",
                "g/ok": "succeeded", "x": "succeeded",
            ])
        // For its run, too.
        #expect(JournalFold(first + [retried]).histories[["g", "t"]]?.ending?.state == .failed)
        #expect(JournalFold(first + [retried]).histories[["x"]]?.ending == nil)
    }

    private let repeated = #"""
        {"type":"group","operations":[
          {"type":"repeat","name":"r","times":3,"until":{"at":"/body","equals":1},"operation":{"type":"value","value":1}},
          {"type":"value","name":"x","value":1}]}
        """#

    @Test func `keep the failed runs of a repetition that succeeded`() throws {
        let entries = [
            start(""), start("r"), start("r/1"), end("r/1", .failed), start("r/2"), end("r/2", .succeeded),
            end("r", .succeeded), end("x", .failed), end("", .failed), retried, start(""), start("x"),
            end("x", .succeeded), end("", .succeeded),
        ]
        let states = try states(repeated, entries, .succeeded)
        #expect(states["r/1"] == "failed http.status")
        #expect(states["r/2"] == "succeeded")
    }

    @Test(arguments: [JobState.succeeded, .failed])
    func `are skipped when a repetition that started over did not come to them`(state: JobState) throws {
        let entries = [
            start(""), start("r"), start("r/1"), end("r/1", .succeeded), start("r/2"), end("r/2", .succeeded),
            end("r", .failed), end("", .failed), retried, start(""), start("r"), start("r/1"),
            end("r/1", .succeeded), end("r", state), end("x", state), end("", state),
        ]
        let states = try states(repeated, entries, state)
        #expect(states["r/1"] == "succeeded")
        #expect(states["r/2"] == "skipped dependency.skipped")
    }
}
