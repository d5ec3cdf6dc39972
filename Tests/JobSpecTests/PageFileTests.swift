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
        + #""query":"c"},"items":{"at":"/body/items"},"to":{"artifact":"orders.ndjson"},"#
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
        on place: MemoryPlace, _ journal: Notebook? = nil,
        _ answer: @escaping @Sendable (HTTPCall, Int) -> (Int, String) = answer
    ) -> SpecRun {
        let run = SpecRun(answer)
        run.prepare.withLock {
            $0 = { environment in
                environment.artifacts = place
                environment.journal = journal
            }
        }
        return run
    }

    private func cursors(_ run: SpecRun) -> [String] {
        run.calls.all.map { $0.url.split(separator: "=").dropFirst().first.map(String.init) ?? "" }
    }

    @Test func `have one line for each item, and only counts are kept of a page`() async throws {
        let (place, journal) = (MemoryPlace(), Notebook())
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
    }

    @Test func `have every item once wherever the server ends, and no stored page is fetched again`()
        async throws
    {
        let whole = Notebook()
        _ = try await run(on: MemoryPlace(), whole).ending(Self.spec)
        let entries = whole.written.all
        #expect(entries.count { $0.path.count == 1 && $0.event.isEnd } == 3)
        for count in 0...entries.count {
            let past = Notebook(Array(entries[..<count]))
            let stored = past.fold.histories.count { $0.key.count == 1 && $0.value.ending != nil }
            // More was written than the journal knows, the last of it torn.
            let place = MemoryPlace(unfinished: Self.content + #"{"id"#)
            let run = run(on: place, past)
            #expect(try await run.ending(Self.spec).state == .succeeded)
            #expect(place.finished == [Array(Self.content.utf8)], "after \(count) entries")
            #expect(cursors(run) == Array(["", "2", "3"][stored...]), "after \(count) entries")
        }
    }

    @Test func `are fetched again from the first when the file is gone, once`() async throws {
        let whole = Notebook()
        _ = try await run(on: MemoryPlace(), whole).ending(Self.spec)
        let second = try #require(whole.written.all.firstIndex { $0.path == ["2"] && $0.event.isEnd })
        let entries = Array(whole.written.all[...second])
        let again = Notebook(entries)
        let place = MemoryPlace(unfinished: "{")
        let first = run(on: place, again)
        #expect(try await first.ending(Self.spec).state == .succeeded)
        #expect(place.finished == [Array(Self.content.utf8)])
        #expect(cursors(first) == ["", "2", "3"])
        let third = try #require(again.written.all.firstIndex { $0.path == ["3"] && $0.event.isEnd })
        let later = Notebook(entries + again.written.all[...third])
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
        #expect(detail.contains("27 bytes; at most 20 are taken (to.max_bytes)"), "\(detail)")
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
        (#"{"artifact":"../a"}"#, "/to/artifact", "spec.bad_name"),
        (#"{"artifact":"a","max_bytes":0}"#, "/to/max_bytes", "spec.out_of_range"),
        (#""/tmp/orders.ndjson""#, "/to", "spec.wrong_type"),
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

extension JournalEntry.Event {
    fileprivate var isEnd: Bool { if case .finished = self { true } else { false } }
}

/// Holds the entries of earlier runs, and records those of this one.
private final class Notebook: OperationJournal {
    let fold: JournalFold
    let written = Record<JournalEntry>()

    init(_ past: [JournalEntry] = []) { fold = JournalFold(past) }

    func record(_ entry: JournalEntry) { written.append(entry) }
    func flush() async throws(RunSuspended) {}
    func history(of path: [String]) -> OperationHistory? { fold.histories[path] }
    func note(taken: Set<ByteKey>, freed: Set<ByteKey>, by path: [String]) {}
}

/// Content in memory, as a disk has it: what is unfinished stays when its draft is gone.
private final class MemoryPlace: ArtifactPlace {
    private let content = Mutex<(unfinished: [String: [UInt8]], finished: [[UInt8]])>(([:], []))
    /// The numbers of the appends, from 1, that are torn: half of it is written, and an error thrown.
    let refusals = Mutex<Set<Int>>([])
    private let appends = Mutex(0)

    init(unfinished text: String? = nil, start: Int = 1) {
        if let text { content.withLock { $0.unfinished["#\(start)"] = Array(text.utf8) } }
    }

    var unfinished: [String: [UInt8]] { content.withLock { $0.unfinished } }
    var finished: [[UInt8]] { content.withLock { $0.finished } }
    let inlineBytesMax = 0

    private func missing() -> ArtifactFailure { ArtifactFailure(.missing, "There is no such content.") }

    func draft(for owner: String) -> any ArtifactDraft { Draft(self, "draft") }
    func newPartial(_ key: ArtifactKey) throws(ArtifactFailure) -> any ArtifactDraft { throw missing() }
    func open(_ artifact: ArtifactReference) throws(ArtifactFailure) -> any ArtifactReader { throw missing() }
    func removePartial(_ key: ArtifactKey) { content.withLock { $0.unfinished[key.name] = nil } }
    func release(owner: String) {}

    func partial(_ key: ArtifactKey, keeping bytes: Int) async throws(ArtifactFailure) -> any ArtifactDraft {
        content.withLock { content in
            let known = content.unfinished[key.name] ?? []
            content.unfinished[key.name] = bytes <= known.count ? Array(known.prefix(bytes)) : []
        }
        return Draft(self, key.name)
    }

    private final class Draft: ArtifactDraft {
        private let place: MemoryPlace
        private let name: String

        init(_ place: MemoryPlace, _ name: String) { (self.place, self.name) = (place, name) }

        var byteCount: Int { place.unfinished[name]?.count ?? 0 }

        func append(_ bytes: Span<UInt8>) throws(ArtifactFailure) {
            let number = place.appends.withLock { number in
                number += 1
                return number
            }
            let isRefused = place.refusals.withLock { $0.contains(number) }
            let added = bytes.indices.prefix(isRefused ? bytes.count / 2 : bytes.count).map { bytes[$0] }
            place.content.withLock { $0.unfinished[name, default: []] += added }
            if isRefused { throw ArtifactFailure(.full, "No space is left.") }
        }

        func sync(_ then: @escaping @Sendable (Result<Int, ArtifactFailure>) -> Void) {
            then(.success(byteCount))
        }

        func sync() async throws(ArtifactFailure) {}

        func finish() async throws(ArtifactFailure) -> ArtifactContent {
            let bytes = place.content.withLock { content in
                let bytes = content.unfinished.removeValue(forKey: name) ?? []
                content.finished.append(bytes)
                return bytes
            }
            let digest = String(repeating: "0", count: 64)
            return .artifact(ArtifactReference(sha256: digest, bytes: bytes.count))
        }

        func discard() { place.content.withLock { $0.unfinished[name] = nil } }
        func close() async -> Int { byteCount }
    }
}
