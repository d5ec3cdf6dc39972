import HTTPMessage
import StrictJSON
import Synchronization
import TestOperations
import Testing

@testable import JobKit
@testable import JobSpec

@Suite struct `A map over lines` {
    /// The lines of `orders`, each sent to `pay.example`.
    private func spec(
        _ more: String = "", lines: String = #"{"$lines":"orders"}"#, operation: String = ""
    ) -> String {
        #"""
        {"type":"group","operations":[
          {"type":"network","name":"orders","request":"https://a.example/orders"},
          {"type":"group","name":"charge","map":{"items":\#(lines)\#(more),
            "operation":{"type":"network","name":"one"\#(operation),"retry":{"max_attempts":1},
              "request":{"method":"PUT","url":"https://pay.example/","json":{"$item":""}}}}}]}
        """#
    }

    /// Answers with `text` as the list, and to each line with what `charge` makes of it.
    private func run(
        _ text: String, on place: MemoryPlace, _ journal: RunNotebook? = nil, limits: RunLimits? = nil,
        charge: @escaping @Sendable (String) -> (Int, String) = { (200, $0) }
    ) -> SpecRun {
        let run = SpecRun { call, _ in
            call.url.hasSuffix("orders")
                ? (200, text) : charge(String(decoding: call.body ?? [], as: UTF8.self))
        }
        var limits = limits ?? RunLimits()
        limits.partLines = 2
        run.prepare.withLock { [limits] in
            $0 = { environment in
                environment.artifacts = place
                environment.journal = journal
                environment.limits = limits
            }
        }
        return run
    }

    private func charged(_ run: SpecRun) -> [String] {
        run.calls.all.filter { $0.method == "PUT" }.map { String(decoding: $0.body ?? [], as: UTF8.self) }
            .sorted()
    }

    /// The last file, which is the result of the map.
    private func results(_ place: MemoryPlace) -> String? {
        place.finished.last.map { String(decoding: $0, as: UTF8.self) }
    }

    /// A list in a list in a list….
    private static func deep(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    private static let lines = "\u{FEFF}1\r\n\n{\"id\": 2}\n 3 \n\"a\\nb\"\n5"
    private static let whole = "1\n{\"id\":2}\n3\n\"a\\nb\"\n5\n"

    @Test func `has a line with the result of each, in their order`() async throws {
        let place = MemoryPlace()
        let run = run(Self.lines, on: place)
        let ending = try await run.ending(spec(#","save":{"artifact":"charges.ndjson"}"#))
        #expect(ending.state == .succeeded, "\(ending.errors)")
        #expect(results(place) == Self.whole)
        let shown = ending.result?.bodyValue.object?["charge"]?.object?["artifact"]?.object
        #expect(shown?["name"] == "charges.ndjson")
        #expect(charged(run) == [#""a\nb""#, "1", "3", "5", #"{"id":2}"#])
        #expect(place.unfinished.isEmpty)
    }

    @Test func `has null for one that may fail, and no content as the empty text`() async throws {
        let place = MemoryPlace()
        let run = run("1\n2\n3\n", on: place) { $0 == "2" ? (404, "{}") : $0 == "3" ? (200, "") : (200, $0) }
        let ending = try await run.ending(spec(operation: #","on_failure":"continue""#))
        #expect(ending.state == .succeeded, "\(ending.errors)")
        #expect(results(place) == "1\nnull\n\"\"\n")
    }

    @Test func `takes lines of text, and may have none`() async throws {
        let place = MemoryPlace()
        let text = run("a b\n\n \n{\n", on: place)
        let form = #"{"$lines":"orders","format":"text"}"#
        #expect(try await text.ending(spec(lines: form)).state == .succeeded)
        #expect(charged(text) == [#"" ""#, #""a b""#, #""{""#], "blanks are a text")
        #expect(try await run("", on: place).ending(spec()).state == .succeeded)
        #expect(place.finished.last == [])
    }

    @Test func `does each line once wherever the server ends`() async throws {
        let (place, journal) = (MemoryPlace(), RunNotebook())
        _ = try await run(Self.lines, on: place, journal).ending(spec())
        let entries = journal.written.all
        #expect(entries.count { $0.path.count == 2 && $0.isEnd } == 3)
        for count in 0...entries.count {
            let past = Array(entries[..<count])
            let done = past.count { $0.path.count == 3 && $0.isEnd }
            let later = MemoryPlace(finished: place.finished)
            let run = run(Self.lines, on: later, RunNotebook(past))
            let ending = try await run.ending(spec())
            #expect(ending.state == .succeeded, "after \(count) entries: \(ending.errors)")
            let isOver = past.contains { $0.path == ["charge"] && $0.isEnd }
            #expect(isOver || results(later) == Self.whole, "after \(count) entries")
            #expect(charged(run).count == 5 - done, "after \(count) entries")
        }
    }

    @Test func `ends with the part that fails, and goes on from there when it is retried`() async throws {
        let (place, journal) = (MemoryPlace(), RunNotebook())
        let first = run("1\n2\n3\n4\n5\n", on: place, journal) { $0 == "3" ? (404, "{}") : (200, $0) }
        let ending = try await first.ending(spec())
        #expect(ending.errors.map(\.code) == [.httpStatus])
        #expect(ending.errors.first?.path.suffix(3) == ["charge", "2", "1"])
        #expect(charged(first) == ["1", "2", "3", "4"])
        let retry = JournalEntry(at: first.clock.now, path: [], event: .retried(by: "ada"))
        let second = run("1\n2\n3\n4\n5\n", on: place, RunNotebook(journal.written.all + [retry]))
        #expect(try await second.ending(spec()).state == .succeeded)
        #expect(charged(second) == ["3", "5"])
        #expect(place.finished.last == Array("1\n2\n3\n4\n5\n".utf8))
    }

    @Test func `keeps and counts the members of one part only`() async throws {
        let (place, journal) = (MemoryPlace(), RunNotebook())
        let lines = (1...40).map { "\($0)\n" }.joined()
        var limits = RunLimits()
        limits.operationsMax = 8
        limits.bytesMax = 8_000
        let payload = String(repeating: "x", count: 500)
        let run = run(lines, on: place, journal, limits: limits) { _ in (200, "\"\(payload)\"") }
        let ending = try await run.ending(spec())
        #expect(ending.state == .succeeded, "\(ending.errors)")
        #expect(charged(run).count == 40)
        let past = RunNotebook(journal.written.all).fold
        #expect(past.histories.keys.allSatisfy { $0.count < 3 })
        #expect(past.histories.keys.count { $0.count == 2 } == 20)
        let sites = CallSite.all(
            of: try readSpec(spec()), fold: JournalFold(journal.written.all), seed: "job_test",
            submittedAt: run.clock.now, connections: nil)
        let call = try #require(sites[["charge", "20", "2"]]).request(ofAttempt: 1).call
        #expect(call.body == Array("40".utf8))
    }

    @Test(arguments: [
        ("1\n\nx\n", "", ErrorCode.referenceNotJSON, "line 3"),
        ("1\n" + deep(65), "", .referenceNotJSON, "line 2, column 65: Objects and"),
        ("1\n2\n3", #","max_items":2"#, .transformTooLarge, "has more than 2 lines"),
        ("1\n2\n3\n", #","save":{"max_bytes":5}"#, .bodyTooLarge, "With part 2 the results have 6 bytes"),
    ])
    func `fails with the line, or the limit`(
        text: String, more: String, code: ErrorCode, part: String
    ) async throws {
        let run = run(text, on: MemoryPlace())
        let ending = try await run.ending(spec(more))
        #expect(ending.errors.map(\.code) == [code])
        #expect(ending.errors.first?.detail.contains(part) == true, "\(ending.errors)")
        if code == .transformTooLarge { #expect(charged(run).isEmpty) }
    }

    @Test func `refuses a line of more than 1 MiB`() async throws {
        let long = "\"" + String(repeating: "x", count: 1 << 20) + "\""
        let run = run("1\n2\n3\n\(long)", on: MemoryPlace())
        let ending = try await run.ending(spec())
        #expect(ending.errors.map(\.code) == [.referenceTooLarge])
        #expect(ending.errors.first?.detail.contains("Line 4 of orders") == true, "\(ending.errors)")
        #expect(charged(run).isEmpty, "all lines are looked at before anything runs")
    }

    // MARK: What is checked before

    @Test(arguments: [
        (#"{"$lines":"order"}"#, "", "", "map/items/$lines", "spec.unknown_reference"),
        (#"{"$lines":"orders","format":"xml"}"#, "", "", "map/items/format", "spec.unknown_word"),
        (#"{"$lines":"orders","at":"/body"}"#, "", "", "map/items/at", "spec.unknown_member"),
        (#"{"$lines":"orders"}"#, #","max_items":2000001"#, "", "map/max_items", "spec.out_of_range"),
        (#"[1]"#, #","save":{"artifact":"a"}"#, "", "map/save", "spec.conflict"),
        (#"[{"$lines":"orders"}]"#, "", "", "map/items/0/$lines", "spec.not_available"),
        (#"{"$lines":"orders"}"#, "", #","succeed_when":"any""#, "succeed_when", "spec.conflict"),
        (
            #"{"$lines":"orders"}"#, "", #","finally":[{"type":"value","value":1}]"#, "finally",
            "spec.conflict"
        ),
    ])
    func `is checked before it runs`(
        lines: String, more: String, group: String, place: String, code: String
    ) {
        let text = spec(more, lines: lines)
            .replacing(#""name":"charge""#, with: #""name":"charge"\#(group)"#)
        WrongSpec(text, "/operations/1/\(place)", code).expectAlone()
    }

    @Test func `is refused where something else may start it over`() {
        let repeated = #"{"type":"repeat","max_runs":2,"operation":\#(spec())}"#
        WrongSpec(repeated, "/operation/operations/1/map/items/$lines", "spec.not_available").expectAlone()
        let finally =
            #"{"type":"group","operations":[{"type":"value","value":1}],"finally":[\#(spec())]}"#
        WrongSpec(finally, "/finally/0/operations/1/map/items/$lines", "spec.not_available").expectAlone()
    }

    @Test func `is shown in the plan with its parts`() throws {
        let plan = SpecPlan(try readSpec(spec()))
        #expect(plan.text.contains("for each line of orders  in parts"), "\(plan.text)")
        #expect(plan.operations.map(\.path).last?.suffix(3) == ["charge", "*", "*"])
        #expect(plan.operations.first { $0.path.last == "charge" }?.after.map(\.operation) == ["orders"])
    }
}
