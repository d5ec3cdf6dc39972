import ContentFiles
import Foundation
import JobKit
import JobStore
import PostgresStore
import ScratchPostgres
import Synchronization
import Testing

/// Records in memory which content is shared.
private final class MemoryContentLedger: ContentLedger {
    private struct Book {
        var held: Set<String> = []
        var condemned: Set<String> = []
        var used: Set<String> = []
        var refusals = 0
        var over: Set<String> = []
    }

    private let book = Mutex(Book())

    /// The content that jobs use.
    var used: Set<String> {
        get { book.withLock { $0.used } }
        set { book.withLock { $0.used = newValue } }
    }

    var held: Set<String> { book.withLock { $0.held } }

    /// The number of times that content could not be held.
    var refusals: Int { book.withLock { $0.refusals } }

    func hold(_ sha256: String) async throws(JobStoreError) -> Bool {
        book.withLock { book in
            guard !book.condemned.contains(sha256) else {
                book.refusals += 1
                return false
            }
            book.held.insert(sha256)
            return true
        }
    }

    func condemn(
        unusedFor grace: Duration, patience: Duration, limit: Int
    ) async throws(JobStoreError) -> [String] {
        book.withLock { book in
            let unused = book.held.subtracting(book.used).union(book.condemned)
            book.condemned = unused
            book.held.subtract(unused)
            return Array(unused.prefix(limit))
        }
    }

    /// The owners whose jobs have succeeded.
    var over: Set<String> {
        get { book.withLock { $0.over } }
        set { book.withLock { $0.over = newValue } }
    }

    func finished(_ owners: [String]) async throws(JobStoreError) -> [String] {
        book.withLock { book in owners.filter { book.over.contains($0) } }
    }

    func forget(_ digests: [String]) async throws(JobStoreError) {
        book.withLock { $0.condemned.subtract(digests) }
    }
}

/// A place that can be away.
private final class Away: ContentBackend {
    let inner: FolderBackend
    let isAway = Mutex(false)

    init(_ path: String) throws(JobStoreError) { inner = try FolderBackend(path) }

    var address: String { inner.address }
    var pieceBytes: Int { 1_000 }

    private func look() throws(ArtifactFailure) {
        if isAway.withLock({ $0 }) { throw ArtifactFailure(.unavailable, "The place is away.") }
    }

    func put(_ artifact: ArtifactReference, from path: String) async throws(ArtifactFailure) {
        try look()
        try await inner.put(artifact, from: path)
    }

    func bytes(
        _ range: Range<Int>, of artifact: ArtifactReference
    ) async throws(ArtifactFailure) -> [UInt8] {
        try look()
        return try await inner.bytes(range, of: artifact)
    }

    func remove(_ sha256: String) async throws(ArtifactFailure) {
        try look()
        try await inner.remove(sha256)
    }

    func check() async throws(ArtifactFailure) {
        try look()
        try await inner.check()
    }
}

/// Two servers with one shared place.
private struct Pair {
    let ledger = MemoryContentLedger()
    let backend: Away
    let first, second: SharedArtifacts
    let folder: String

    init(_ directory: String) throws {
        folder = directory
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        backend = try Away("\(directory)/shared")
        var places: [SharedArtifacts] = []
        for name in ["a", "b"] {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
            var files = ArtifactOptions { PlainSHA256() }
            files.inlineBytesMax = 1_000
            places.append(
                try SharedArtifacts(
                    SharedArtifactOptions(path: "\(directory)/\(name)/work", files: files, backend: backend),
                    ledger: ledger))
        }
        (first, second) = (places[0], places[1])
    }

    /// The paths of finished content in a folder: two digits, and the rest.
    func contents(_ name: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: "\(folder)/\(name)")?.compactMap { $0 as? String }
        return (all ?? []).filter { $0.replacing("/", with: "").utf8.count == 64 }
    }

    /// Content that was kept for an owner.
    func keep(_ bytes: [UInt8], for owner: String) async throws -> ArtifactReference {
        let draft = first.draft(for: owner)
        try draft.append(bytes.span)
        guard case .artifact(let artifact) = try await draft.finish() else { throw Unexpected("in memory") }
        return artifact
    }
}

private let large: [UInt8] = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 5) }

@Suite struct `Content that servers share` {
    @Test func `is read by a server that did not write it, whole and in parts`() async throws {
        try await withDirectory { directory in
            let pair = try Pair(directory)
            let artifact = try await pair.keep(large, for: "job")
            pair.first.release(owner: "job")
            for place in [pair.first, pair.second] {
                let reader = try place.open(artifact)
                #expect(try await reader.bytes(0..<5_000) == large)
                #expect(try await reader.bytes(4_000..<4_100) == Array(large[4_000..<4_100]))
            }
        }
    }

    @Test func `is fetched for a run, and leaves that machine with it`() async throws {
        try await withDirectory { directory in
            let pair = try Pair(directory)
            let artifact = try await pair.keep(large, for: "job")
            #expect(throws: ArtifactFailure.self) { try pair.second.bytes(of: artifact, bytesMax: 5_000) }
            try await pair.second.fetch([artifact], for: "job")
            #expect(try pair.second.bytes(of: artifact, bytesMax: 5_000) == large)
            // Once is enough, even when the place is away then.
            pair.backend.isAway.withLock { $0 = true }
            try await pair.second.fetch([artifact], for: "job")
            pair.second.release(owner: "job")
            #expect(pair.contents("b/work").isEmpty)
            #expect(pair.contents("shared").count == 1)
        }
    }

    @Test func `that is damaged is not passed on whole`() async throws {
        try await withDirectory { directory in
            let pair = try Pair(directory)
            let artifact = try await pair.keep(large, for: "job")
            let path = "\(directory)/shared/\(pair.contents("shared")[0])"
            var bytes = large
            bytes[17] ^= 1
            try Data(bytes).write(to: URL(filePath: path))
            let reader = try pair.second.open(artifact)
            _ = try await reader.bytes(0..<4_000)
            let failure = await #expect(throws: ArtifactFailure.self) {
                try await reader.bytes(4_000..<5_000)
            }
            #expect(failure?.code == .missing)
            try Data(large.prefix(100)).write(to: URL(filePath: path))
            await #expect(throws: ArtifactFailure.self) { try await reader.bytes(0..<100) }
        }
    }

    @Test func `is no result before it is there`() async throws {
        try await withDirectory { directory in
            let pair = try Pair(directory)
            pair.backend.isAway.withLock { $0 = true }
            let failure = await #expect(throws: ArtifactFailure.self) {
                try await pair.keep(large, for: "job")
            }
            #expect(failure?.code == .unavailable)
            #expect(pair.contents("shared").isEmpty)
            pair.backend.isAway.withLock { $0 = false }
            let artifact = try await pair.keep(large, for: "job")
            #expect(try await pair.second.open(artifact).bytes(0..<5_000) == large)
        }
    }

    @Test func `is removed when no job uses it, and not earlier`() async throws {
        try await withDirectory { directory in
            let pair = try Pair(directory)
            let artifact = try await pair.keep(large, for: "job")
            pair.ledger.used = [artifact.sha256]
            #expect(try await pair.second.sweep() == 0)
            #expect(pair.contents("shared").count == 1)
            pair.ledger.used = []
            #expect(try await pair.second.sweep() == 1)
            #expect(pair.contents("shared").isEmpty)
            pair.first.release(owner: "job")
            let failure = await #expect(throws: ArtifactFailure.self) {
                try await pair.first.open(artifact).bytes(0..<10)
            }
            #expect(failure?.code == .missing)
        }
    }

    @Test func `is not kept unfinished for a job that succeeded elsewhere`() async throws {
        try await withDirectory { directory in
            let pair = try Pair(directory)
            for owner in ["over", "open"] {
                let draft = try pair.first.newPartial(ArtifactKey(owner: owner, name: "part"))
                try draft.append(large.span)
                #expect(await draft.close() == 5_000)
            }
            pair.ledger.over = ["over"]
            _ = try await pair.first.sweep()
            let gone = try await pair.first.partial(ArtifactKey(owner: "over", name: "part"), keeping: 5_000)
            #expect(gone.byteCount == 0)
            let kept = try await pair.first.partial(ArtifactKey(owner: "open", name: "part"), keeping: 5_000)
            #expect(kept.byteCount == 5_000)
        }
    }

    @Test func `leaves no drafts of dead servers in a shared directory`() async throws {
        try await withDirectory { directory in
            let pair = try Pair(directory)
            let drafts = "\(directory)/shared/drafts"
            for (name, age) in [("1", 90_000.0), ("2", 60.0)] {
                let day = Date(timeIntervalSinceNow: -age)
                #expect(
                    FileManager.default.createFile(
                        atPath: "\(drafts)/\(name)", contents: nil, attributes: [.modificationDate: day]))
            }
            try await pair.backend.check()
            #expect(try FileManager.default.contentsOfDirectory(atPath: drafts) == ["2"])
        }
    }

    @Test func `cannot be stored again while it is removed`() async throws {
        try await withDirectory { directory in
            let pair = try Pair(directory)
            let artifact = try await pair.keep(large, for: "job")
            // The server that removes it dies in the middle.
            _ = try await pair.ledger.condemn(unusedFor: .zero, patience: .zero, limit: 1)
            async let again = pair.keep(large, for: "other")
            while pair.ledger.refusals == 0 { await Task.yield() }
            #expect(try await pair.second.sweep() == 1)
            #expect(try await again == artifact)
            #expect(pair.ledger.held == [artifact.sha256])
            #expect(pair.contents("shared").count == 1)
        }
    }

    @Test(.enabled(if: PostgresServer.isInstalled))
    func `is recorded in the database that the servers share`() async throws {
        let server = try #require(PostgresServer.shared)
        let schema = PostgresServer.freshSchema()
        try await withDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let backend = try FolderBackend("\(directory)/shared")
            func open(_ name: String, grace: Duration) throws -> any JobStore {
                try FileManager.default.createDirectory(
                    atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
                var files = ArtifactOptions { PlainSHA256() }
                files.inlineBytesMax = 1_000
                var shared = SharedArtifactOptions(
                    path: "\(directory)/\(name)/work", files: files, backend: backend)
                shared.grace = grace
                var options = PostgresOptions()
                options.artifacts = shared
                options.usesDatabaseClock = false
                return try PostgresDatabase.open(server.address, schema: schema, options: options)
            }
            let patient = try open("a", grace: .seconds(3_600))
            let hasty = try open("b", grace: .seconds(-1))
            let place = try #require(patient.artifacts)
            let draft = place.draft(for: "job")
            try draft.append(large.span)
            guard case .artifact(let artifact) = try await draft.finish() else { throw Unexpected("memory") }
            try await patient.add(.sample("user"))
            let claim = try await patient.claimOne()
            var result = OperationResult(status: 200, headers: [], contentType: nil, body: [])
            result.artifact = artifact
            var standing = RunUpdate.Standing(
                state: .succeeded, attempt: 1, finishedAt: .noon(5), result: result)
            standing.detail = .nothing
            _ = try await patient.update(RunUpdate(claim: claim.key, journal: [], standing: standing))
            place.release(owner: "job")
            // Unfinished content goes with the success of its job, which another server may have run.
            let key = ArtifactKey(owner: claim.record.id.description, name: "part")
            let part = try #require(hasty.artifacts).newPartial(key)
            try part.append(large.span)
            #expect(await part.close() == 5_000)
            // A job uses it.
            #expect(try await hasty.removeUnusedArtifacts() == 0)
            #expect(try await hasty.artifacts?.open(artifact).bytes(0..<5_000) == large)
            #expect(try await hasty.artifacts?.partial(key, keeping: 5_000).byteCount == 0)
            try await patient.erase(claim.record.id)
            // It was used a moment ago.
            #expect(try await patient.removeUnusedArtifacts() == 0)
            #expect(try await hasty.removeUnusedArtifacts() == 1)
            #expect(try await hasty.removeUnusedArtifacts() == 0)
            await #expect(throws: ArtifactFailure.self) {
                try await hasty.artifacts?.open(artifact).bytes(0..<10)
            }
            await patient.close()
            await hasty.close()
        }
    }
}
