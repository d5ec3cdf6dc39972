import HTTPMessage
import StrictJSON
import Synchronization
import TestOperations
import Testing

@testable import JobKit
@testable import JobSpec

@Suite struct `Pages in a file` {
    private static let spec =
        #"{"type":"pages","name":"orders","request":"https://a.example/","next":{"cursor":{"at":"/body/c"},"#
        + #""query":"c"},"items":{"at":"/body/items"},"save":{"artifact":"orders.ndjson"},"#
        + #""retry":{"backoff":"1s","jitter":"none"}}"#
    private static let content = #"{"id":1}"# + "\n\"a\\nb\"\n" + "3\n" + "[4]\nnull\n"

    /// The answer to the call of a page, by its cursor.
    @Sendable private static func answer(_ call: HTTPCall, _ before: Int) -> (Int, String) {
        switch call.url.split(separator: "=").last {
        case "2": (200, #"{"items":3,"c":3}"#)
        case "3": (200, #"{"items":[[4],null],"c":null}"#)
        default: (200, #"{"items":[{"id": 1},"a\nb"],"c":2}"#)
        }
    }

    private func run(
        on place: MemoryPlace, _ journal: RunNotebook? = nil,
        _ answer: @escaping @Sendable (HTTPCall, Int) -> (Int, String) = answer
    ) -> SpecRun {
        let run = SpecRun(answer)
        run.prepare.withLock {
            $0 = { environment in
                environment.artifacts = place
                environment.journal = journal
                environment.digests = PlainDigests()
            }
        }
        return run
    }

    private func cursors(_ run: SpecRun) -> [String] {
        run.calls.all.map { $0.url.split(separator: "=").dropFirst().first.map(String.init) ?? "" }
    }

    @Test func `have one line for each item, and only counts are kept of a page`() async throws {
        let (place, journal) = (MemoryPlace(), RunNotebook())
        let result = try #require(try await run(on: place, journal).ending(Self.spec).result)
        #expect(result.artifact?.name == "orders.ndjson")
        #expect(result.contentType == "application/x-ndjson")
        #expect(result.body.isEmpty)
        #expect(place.finished == [Array(Self.content.utf8)])
        #expect(result.artifact?.bytes == Self.content.utf8.count)
        let pages = JournalFold(journal.written.all).histories.filter { $0.key.count == 1 }
        let results = pages.sorted { $0.key[0] < $1.key[0] }.map { $0.value.ending?.result }
        #expect(results.map { $0?.bodyValue.object?["items"]?.number?.int } == [2, 1, 2])
        #expect(results.map { $0?.bodyValue.object?["bytes"]?.number?.int } == [16, 2, 9])
        #expect(results.allSatisfy { $0?.headers.isEmpty == true && $0?.status == 200 })
        // What is known of a page is one note: a crash leaves all of it, or nothing.
        let notes = journal.written.all.filter { if case .noted = $0.event { true } else { false } }
        #expect(notes.filter { $0.path.count == 1 }.map(\.path) == [["1"], ["2"], ["3"]])
    }

    @Test func `have every item once wherever the server ends, and no stored page is fetched again`()
        async throws
    {
        let whole = RunNotebook()
        _ = try await run(on: MemoryPlace(), whole).ending(Self.spec)
        let entries = whole.written.all
        #expect(entries.count { $0.path.count == 1 && $0.isEnd } == 3)
        let lengths = [0, 16, 18, 27]
        for count in 0...entries.count {
            let past = RunNotebook(Array(entries[..<count]))
            let pages = past.fold.histories.filter { $0.key.count == 1 }.values
            let ended = pages.count { $0.ending != nil }
            // The content of a page is there once its digest is.
            let written = pages.count { $0.ending != nil || $0.notes["lines"] != nil }
            for (length, stored) in [(lengths[ended], ended), (lengths[written], written), (27, written)] {
                // More was written than the journal knows, the last of it torn.
                let place = MemoryPlace(unfinished: Self.content.prefix(length) + #"{"id"#)
                let again = RunNotebook(Array(entries[..<count]))
                let run = run(on: place, again)
                #expect(try await run.ending(Self.spec).state == .succeeded)
                #expect(
                    place.finished == [Array(Self.content.utf8)], "after \(count) entries, \(length) bytes")
                #expect(
                    cursors(run) == Array(["", "2", "3"][stored...]),
                    "after \(count) entries, \(length) bytes")
                let all = JournalFold(entries[..<count] + again.written.all)
                #expect(all.histories[["3"]]?.openAttempt == nil)
            }
        }
    }

    @Test func `are cut off behind the last one that came to its end when the rest is not what was written`()
        async throws
    {
        let whole = RunNotebook()
        _ = try await run(on: MemoryPlace(), whole).ending(Self.spec)
        let end = try #require(whole.written.all.firstIndex { $0.path == ["2"] && $0.isEnd })
        let past = RunNotebook(Array(whole.written.all[..<end]))
        let place = MemoryPlace(unfinished: Self.content.prefix(16) + "\0\0")
        let run = run(on: place, past)
        #expect(try await run.ending(Self.spec).state == .succeeded)
        #expect(place.finished == [Array(Self.content.utf8)])
        #expect(cursors(run) == ["2", "3"])
    }

    @Test func `are fetched again from the first when the file is gone, once`() async throws {
        let whole = RunNotebook()
        _ = try await run(on: MemoryPlace(), whole).ending(Self.spec)
        let second = try #require(whole.written.all.firstIndex { $0.path == ["2"] && $0.isEnd })
        let entries = Array(whole.written.all[...second])
        let again = RunNotebook(entries)
        let place = MemoryPlace(unfinished: "{")
        let first = run(on: place, again)
        #expect(try await first.ending(Self.spec).state == .succeeded)
        #expect(place.finished == [Array(Self.content.utf8)])
        #expect(cursors(first) == ["", "2", "3"])
        let third = try #require(again.written.all.firstIndex { $0.path == ["3"] && $0.isEnd })
        let later = RunNotebook(entries + again.written.all[...third])
        let rest = run(on: MemoryPlace(unfinished: Self.content, start: 2), later)
        #expect(try await rest.ending(Self.spec).state == .succeeded)
        #expect(cursors(rest) == ["2", "3"])
        let fold = JournalFold(entries + again.written.all)
        let sites = CallSite.all(
            of: try readSpec(Self.spec), fold: fold, seed: "job_test", submittedAt: first.clock.now,
            connections: nil)
        let urls = try (1...5).map { try #require(sites[[String($0)]]).request(ofAttempt: 1).call.url }
        let base = "https://a.example/"
        #expect(urls == [base, base + "?c=2", base, base + "?c=2", base + "?c=3"])
    }

    @Test func `lose nothing and double nothing when an attempt could not write`() async throws {
        let place = MemoryPlace()
        place.refusals.withLock { $0 = [2] }
        let run = run(on: place)
        let task = run.start(Self.spec)
        await run.clock.waitForSleepers()
        run.clock.advance(by: .seconds(1))
        #expect(try await task.value.state == .succeeded)
        #expect(place.finished == [Array(Self.content.utf8)])
        #expect(cursors(run) == ["", "2", "2", "3"])
    }

    @Test func `fail with the page that is too much, and keep those before`() async throws {
        let place = MemoryPlace()
        let short = Self.spec.replacing(#".ndjson"}"#, with: #".ndjson","max_bytes":20}"#)
        let ending = try await run(on: place).ending(short)
        #expect(ending.errors.map(\.code) == [.bodyTooLarge])
        #expect(ending.errors.first?.path == ["orders", "3"])
        let detail = ending.errors.first?.detail ?? ""
        #expect(detail.contains("27 bytes; at most 20 are taken (save.max_bytes)"), "\(detail)")
        #expect(place.finished.isEmpty)
        #expect(place.unfinished["#1"] == Array(Self.content.utf8.prefix(18)))
    }

    @Test func `are an empty file when there are no items`() async throws {
        let place = MemoryPlace()
        let run = run(on: place) { _, _ in (200, #"{"items":[]}"#) }
        let result = try await run.ending(Self.spec).result
        #expect(result?.artifact?.bytes == 0)
        #expect(place.finished == [[]])
    }

    @Test func `need a place for files`() async throws {
        let ending = try await SpecRun(Self.answer).ending(Self.spec)
        #expect(ending.errors.map(\.code) == [.storage])
    }

    @Test(arguments: [
        (#"{"artifact":"../a"}"#, "/save/artifact", "spec.bad_name"),
        (#"{"artifact":"a","max_bytes":0}"#, "/save/max_bytes", "spec.out_of_range"),
        (#""/tmp/orders.ndjson""#, "/save", "spec.wrong_type"),
    ])
    func `are checked before they are fetched`(target: String, pointer: String, code: String) {
        WrongSpec(Self.spec.replacing(#"{"artifact":"orders.ndjson"}"#, with: target), pointer, code)
            .expectAlone()
    }

    @Test func `are named in the plan`() throws {
        let plan = SpecPlan(try readSpec(Self.spec)).text
        #expect(plan.contains("at most 1000 pages  to orders.ndjson"), "\(plan)")
        let unnamed = Self.spec.replacing(#""artifact":"orders.ndjson""#, with: "")
        #expect(SpecPlan(try readSpec(unnamed)).text.contains("at most 1000 pages  to a file"))
    }
}

/// Digests that only tell contents apart.
private struct PlainDigests: MessageDigests {
    func sha256(_ message: [UInt8]) -> [UInt8] {
        let hash = message.reduce(5_381 as UInt64) { $0 &* 33 ^ UInt64($1) }
        return (0..<32).map { UInt8(truncatingIfNeeded: hash >> ($0 % 8 * 8)) }
    }

    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] { sha256(key + message) }
}
