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
          {"type":"repeat","name":"r","max_runs":3,"until":{"at":"/body","equals":1},"operation":{"type":"value","value":1}},
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

    /// A try in which one run was enough after one that made three, then one that keeps the repetition.
    @Test func `stay skipped when the repetition is kept by a further retry`() throws {
        let entries = [
            start(""), start("r"), end("r/1", .succeeded), end("r/2", .failed), end("r/3", .succeeded),
            end("r", .failed), end("x", .failed), end("", .failed), retried, start(""), start("r"),
            end("r/1", .succeeded), end("r", .succeeded), end("x", .failed), end("", .failed), retried,
            start(""), end("x", .succeeded), end("", .succeeded),
        ]
        for tail in [0, 1] {
            let states = try states(
                repeated, Array(entries.dropLast(tail * 3)), tail == 0 ? .succeeded : .queued)
            #expect(states["r"] == "succeeded")
            #expect(states["r/1"] == "succeeded")
            #expect(states["r/2"] == "skipped dependency.skipped")
            #expect(states["r/3"] == "skipped dependency.skipped")
        }
        let whole = try states(
            repeated, Array(entries[..<12]) + [end("r/2", .succeeded)] + entries[12...], .succeeded)
        #expect(whole["r/2"] == "succeeded")
        #expect(whole["r/3"] == "skipped dependency.skipped")
    }

    /// Whether the group itself or one around it ends first, and whether it has an entry of its own.
    @Test(arguments: [JobState.cancelled, .skipped], [["a", "a/g"], ["a"], []])
    func `are not done finally where their group ended before it began`(state: JobState, ends: [String])
        throws
    {
        let spec = #"""
            {"type":"group","operations":[{"type":"group","name":"a","operations":[
              {"type":"group","name":"g","operations":[{"type":"value","name":"m","value":1},
                {"type":"value","name":"n","value":1}], "finally":[
                  {"type":"group","name":"f","operations":[{"type":"value","name":"i","value":1}]}]}]}]}
            """#
        let entries =
            [
                start(""), start("a"), start("a/g"), end("a/g/m", .succeeded), end("a/g/n", .failed),
                start("a/g/f"), end("a/g/f/i", .succeeded), end("a/g/f", .succeeded), end("a/g", .failed),
                end("a", .failed), end("", .failed), retried, start(""),
            ] + ends.reversed().map { end($0, state) } + [end("", state)]
        let states = try states(spec, entries, state)
        #expect(states["a/g/m"] == "succeeded")
        for path in ["a/g/n", "a/g/f", "a/g/f/i"] {
            #expect(states[path]?.prefix { $0 != " " } == state.rawValue[...], "\(path)")
        }
    }
}
