import ContentFiles
import Dispatch
import Foundation
import JobKit
import JobStore
import SQLiteStore
import Synchronization
import Testing

/// This many pseudo-random bytes; the same for the same seed.
private func content(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ ($0 >> 8)) &+ seed }
}

/// Opens a store that keeps content above 1,000 bytes in files.
private func withFiles<Value>(
    _ directory: String, diskBytes: Int? = nil,
    _ body: (any JobStore, any ArtifactPlace) async throws -> Value
) async throws -> Value {
    var options = SQLiteOptions()
    var artifacts = ArtifactOptions { PlainSHA256() }
    artifacts.inlineBytesMax = 1_000
    options.artifacts = artifacts
    if let diskBytes {
        options.reserve = DiskReserve(.bytes(0))
        options.reserve.read = { _ in
            let taken = FileTree.byteCount(directory + "/artifacts")
            return DiskSpace(free: max(0, diskBytes - taken), total: diskBytes)
        }
    }
    return try await withSQLite(directory, options: options) { store in
        try await body(store, try #require(store.artifacts))
    }
}

extension ArtifactPlace {
    /// Keeps `bytes`, given in pieces.
    fileprivate func keep(_ bytes: [UInt8], for owner: String) async throws -> ArtifactContent {
        let draft = draft(for: owner)
        for start in stride(from: 0, to: bytes.count, by: 700) {
            try draft.append(Array(bytes[start..<min(start + 700, bytes.count)]).span)
        }
        return try await draft.finish()
    }

    /// Keeps `bytes`, which must be enough for a file.
    fileprivate func file(_ bytes: [UInt8], for owner: String) async throws -> ArtifactReference {
        guard case .artifact(let artifact) = try await keep(bytes, for: owner) else {
            throw Unexpected("stayed in memory")
        }
        return artifact
    }
}

extension JobStore {
    /// Runs a new job that ends with this artifact.
    fileprivate func finish(_ name: String, with artifact: ArtifactReference) async throws -> JobID {
        try await add(.sample(name))
        return try await finish(try await claimOne(), with: artifact)
    }

    func finish(_ claim: Claim, with artifact: ArtifactReference) async throws -> JobID {
        var result = OperationResult(
            status: 200, headers: [.init(name: "x", value: "y")], contentType: "text/csv", body: [])
        result.artifact = artifact
        result.contentCoding = "gzip"
        let member = OperationEnding(state: .succeeded, result: result)
        var standing = RunUpdate.Standing(state: .succeeded, attempt: 1, finishedAt: .noon(5), result: result)
        standing.detail = .nothing
        try await update(
            RunUpdate(
                claim: claim.key,
                journal: [JournalEntry(at: .noon(1), path: ["outer", "inner"], event: .finished(member))],
                standing: standing))
        return claim.record.id
    }
}

/// A digest that halts at the first piece.
private final class HaltedDigest: RunningDigest {
    private let halted: AsyncStream<Void>.Continuation
    private let mayGoOn: DispatchSemaphore

    init(halted: AsyncStream<Void>.Continuation, mayGoOn: DispatchSemaphore) {
        self.halted = halted
        self.mayGoOn = mayGoOn
    }

    func update(_ bytes: Span<UInt8>) {
        halted.yield()
        mayGoOn.wait()
        mayGoOn.signal()
    }

    func finish() -> [UInt8] { [] }
}

/// The files of a store: all below `artifacts`, without the folders.
private func files(_ directory: String) -> [String] {
    let all = FileManager.default.subpaths(atPath: directory + "/artifacts") ?? []
    return all.filter { path in
        let facts = try? FileManager.default.attributesOfItem(atPath: "\(directory)/artifacts/\(path)")
        return facts?[.type] as? FileAttributeType == .typeRegular
    }.sorted()
}

/// Waits until the files are these.
private func expectFiles(_ expected: [String], in directory: String) async throws {
    for _ in 0..<500 where files(directory) != expected { try await Task.sleep(for: .milliseconds(10)) }
    #expect(files(directory) == expected)
}

private func place(_ artifact: ArtifactReference) -> String {
    "\(artifact.sha256.prefix(2))/\(artifact.sha256.dropFirst(2))"
}

@Suite struct `Content beside a store` {
    @Test func `stays in memory while it is small, and is a file named by its digest when it is not`()
        async throws
    {
        try await withDirectory { directory in
            try await withFiles(directory) { _, place in
                guard case .inline(let small) = try await place.keep(content(1_000), for: "a") else {
                    throw Unexpected("a file")
                }
                #expect(small == content(1_000))
                let large = content(5_000)
                let artifact = try await place.file(large, for: "a")
                #expect(artifact.sha256 == PlainSHA256.hex(large))
                #expect(PlainSHA256.hex(Array("abc".utf8)).hasPrefix("ba7816bf8f01cfea414140de5dae2223"))
                #expect(artifact.bytes == 5_000)
                #expect(files(directory) == [JobStoreTests.place(artifact)])
                let reader = try place.open(artifact)
                #expect(try await reader.bytes(0..<5_000) == large)
                #expect(try await reader.bytes(4_000..<4_100) == Array(large[4_000..<4_100]))
                #expect(throws: ArtifactFailure.self) { try place.bytes(of: artifact, bytesMax: 4_999) }
            }
        }
    }

    @Test func `is there once however often it comes`() async throws {
        try await withDirectory { directory in
            try await withFiles(directory) { _, place in
                let first = try await place.file(content(3_000), for: "a")
                let second = try await place.file(content(3_000), for: "b")
                #expect(first == second)
                #expect(files(directory) == [JobStoreTests.place(first)])
            }
        }
    }

    @Test func `goes with the last job that has it`() async throws {
        try await withDirectory { directory in
            try await withFiles(directory) { store, place in
                let artifact = try await place.file(content(3_000), for: "x")
                let first = try await store.finish("first", with: artifact)
                let second = try await store.finish("second", with: artifact)
                place.release(owner: "x")
                try await store.erase(first)
                #expect(files(directory) == [JobStoreTests.place(artifact)])
                try await store.erase(second)
                try await expectFiles([], in: directory)
                #expect(throws: ArtifactFailure.self) { try place.open(artifact) }
            }
        }
    }

    @Test func `goes when retention ends`() async throws {
        try await withDirectory { directory in
            try await withFiles(directory) { store, place in
                _ = try await store.finish("old", with: try await place.file(content(3_000), for: "x"))
                place.release(owner: "x")
                #expect(try await store.sweep(now: .noon(60)) == 1)
                try await expectFiles([], in: directory)
            }
        }
    }

    @Test func `stays while its owner has not stored it, and goes when the owner never does`() async throws {
        try await withDirectory { directory in
            try await withFiles(directory) { store, place in
                let artifact = try await place.file(content(3_000), for: "running")
                let other = try await store.finish("other", with: artifact)
                try await store.erase(other)
                try await store.add(.sample())
                #expect(files(directory) == [JobStoreTests.place(artifact)])
                place.release(owner: "running")
                try await expectFiles([], in: directory)
            }
        }
    }

    @Test func `that no job uses is deleted at the start, the rest is not`() async throws {
        try await withDirectory { directory in
            let kept = try await withFiles(directory) { store, place in
                let kept = try await place.file(content(3_000), for: "x")
                _ = try await store.finish("job", with: kept)
                _ = try await place.file(content(3_000, seed: 9), for: "crashed")
                let draft = place.draft(for: "crashed")
                try draft.append(content(2_000).span)
                try FileManager.default.copyItem(
                    atPath: "\(directory)/artifacts/\(JobStoreTests.place(kept))",
                    toPath: "\(directory)/artifacts/drafts/99")
                return kept
            }
            #expect(files(directory).count >= 3)
            try await withFiles(directory) { store, _ in
                try await expectFiles([JobStoreTests.place(kept)], in: directory)
                let job = try await store.add(.sample("later"))
                #expect(try store.makeReader().artifacts(job.id).isEmpty)
            }
        }
    }

    @Test func `that is incomplete is not served`() async throws {
        try await withDirectory { directory in
            try await withFiles(directory) { _, place in
                let artifact = try await place.file(content(3_000), for: "x")
                let path = "\(directory)/artifacts/\(JobStoreTests.place(artifact))"
                let handle = try FileHandle(forWritingTo: URL(filePath: path))
                try handle.truncate(atOffset: 100)
                try handle.close()
                #expect(throws: ArtifactFailure.self) { try place.open(artifact) }
                // When the content comes again, it is whole again.
                #expect(try await place.file(content(3_000), for: "y") == artifact)
                #expect(try await place.open(artifact).bytes(0..<3_000) == content(3_000))
            }
        }
    }

    @Test func `whose bytes were altered is repaired when it is stored again`() async throws {
        try await withDirectory { directory in
            try await withFiles(directory) { _, place in
                let artifact = try await place.file(content(3_000), for: "x")
                let path = "\(directory)/artifacts/\(JobStoreTests.place(artifact))"
                try Data(content(3_000, seed: 2)).write(to: URL(filePath: path))
                #expect(try await place.open(artifact).bytes(0..<3_000) != content(3_000))
                #expect(try await place.file(content(3_000), for: "y") == artifact)
                #expect(try await place.open(artifact).bytes(0..<3_000) == content(3_000))
            }
        }
    }

    @Test func `is not read further when the store closes`() async throws {
        try await withDirectory { directory in
            try await withFiles(directory) { store, place in
                _ = try await store.finish("a", with: try await place.file(content(3 << 20), for: "a"))
            }
            let (begun, halted) = AsyncStream.makeStream(of: Void.self)
            let mayGoOn = DispatchSemaphore(value: 0)
            var options = SQLiteOptions()
            options.artifacts = ArtifactOptions { HaltedDigest(halted: halted, mayGoOn: mayGoOn) }
            let store = try DataDirectory(directory).open(options)
            async let found = withCheckedContinuation { told in
                store.checkIntegrity(readsFiles: true) { told.resume(returning: $0) }
            }
            for await _ in begun { break }
            await store.close()
            mayGoOn.signal()
            let report = try await found.get()
            #expect(report.outcome == .ended)
            #expect(report.filesLost == 0)
        }
    }

    @Test func `for which there is no space is refused, and accepted when there is again`() async throws {
        try await withDirectory { directory in
            try await withFiles(directory, diskBytes: 8_000) { store, place in
                let first = try await place.file(content(6_000), for: "x")
                let job = try await store.finish("first", with: first)
                place.release(owner: "x")
                let refused = await #expect(throws: ArtifactFailure.self) {
                    try await place.file(content(6_000, seed: 7), for: "y")
                }
                #expect(refused?.code == .full)
                #expect(refused?.errorCode == .storageFull)
                try await expectFiles([JobStoreTests.place(first)], in: directory)
                try await store.erase(job)
                try await expectFiles([], in: directory)
                _ = try await place.file(content(6_000, seed: 7), for: "y")
            }
        }
    }
}

@Suite struct `Unfinished content` {
    private static let whole = content(9_000)

    @Test func `is resumed after a restart, to the same digest`() async throws {
        try await withDirectory { directory in
            let id = try await withFiles(directory) { store, place in
                let job = try await store.add(.sample())
                let key = ArtifactKey(owner: job.id.description, name: "outer/inner.1")
                let draft = try await place.partial(key, keeping: 0)
                try draft.append(Array(Self.whole[..<4_000]).span)
                #expect(await draft.close() == 4_000)
                return job.id
            }
            try await withFiles(directory) { store, place in
                // Only the durable part counts: what follows is dropped.
                let key = ArtifactKey(owner: id.description, name: "outer/inner.1")
                let draft = try await place.partial(key, keeping: 3_000)
                #expect(draft.byteCount == 3_000)
                try draft.append(Array(Self.whole[3_000...]).span)
                guard case .artifact(let artifact) = try await draft.finish() else {
                    throw Unexpected("memory")
                }
                #expect(artifact.sha256 == PlainSHA256.hex(Self.whole))
                #expect(files(directory) == [JobStoreTests.place(artifact)])
            }
        }
    }

    @Test func `that is shorter than it should be counts for nothing`() async throws {
        try await withDirectory { directory in
            try await withFiles(directory) { _, place in
                let key = ArtifactKey(owner: "a", name: "b")
                let draft = try await place.partial(key, keeping: 0)
                try draft.append(Array(Self.whole[..<2_000]).span)
                _ = await draft.close()
                #expect(try await place.partial(key, keeping: 2_001).byteCount == 0)
            }
        }
    }

    @Test func `goes with its job`() async throws {
        try await withDirectory { directory in
            try await withFiles(directory) { store, place in
                let job = try await store.add(.sample())
                let draft = try await place.partial(.init(owner: job.id.description, name: "b"), keeping: 0)
                try draft.append(Self.whole.span)
                _ = await draft.close()
                #expect(files(directory).count == 1)
                try await store.cancel(job.id)
                #expect(files(directory).count == 1)
                try await store.erase(job.id)
                try await expectFiles([], in: directory)
            }
        }
    }

    @Test func `of deleted jobs is removed at the start`() async throws {
        try await withDirectory { directory in
            try await withFiles(directory) { _, place in
                let key = ArtifactKey(owner: JobID.made(at: .noon).description, name: "b")
                let draft = try await place.partial(key, keeping: 0)
                try draft.append(Self.whole.span)
                _ = await draft.close()
            }
            #expect(files(directory).count == 1)
            try await withFiles(directory) { _, _ in try await expectFiles([], in: directory) }
        }
    }

    @Test func `reports its durable length`() async throws {
        try await withDirectory { directory in
            try await withFiles(directory) { _, place in
                let draft = try await place.partial(.init(owner: "a", name: "b"), keeping: 0)
                try draft.append(Self.whole.span)
                let count = await withCheckedContinuation { continuation in
                    draft.sync { continuation.resume(returning: try? $0.get()) }
                }
                #expect(count == 9_000)
                draft.discard()
                try await expectFiles([], in: directory)
            }
        }
    }
}

@Suite struct `A result in a file` {
    @Test(arguments: Engine.allCases)
    func `is listed with the operation that has it, and found as the result of the job`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let artifact = ArtifactReference(
                sha256: String(repeating: "ab", count: 32), bytes: 70_000, name: "report.csv")
            let id = try await store.finish("job", with: artifact)
            let reader = try store.makeReader()
            let result = try #require(try reader.result(id))
            #expect(result.artifact == artifact)
            #expect(result.byteCount == 70_000)
            #expect(result.headers == [.init(name: "x", value: "y")])
            let uses = try reader.artifacts(id)
            #expect(uses.map(\.path) == [["outer", "inner"], []])
            #expect(uses.map(\.name) == ["report.csv", "report.csv"])
            #expect(uses.map(\.contentType) == ["text/csv", "text/csv"])
            #expect(uses.map(\.contentCoding) == ["gzip", "gzip"])
            #expect(uses.map(\.storedAt) == [.noon(1), .noon(5)])
            try await store.erase(id)
            #expect(try reader.artifacts(id).isEmpty)
        }
    }
}
