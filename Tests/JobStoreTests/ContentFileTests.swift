import Foundation
import HTTPMessage
import JobKit
import Synchronization
import Testing

@testable import ContentFiles

/// A place whose disk takes nothing until it is released.
private final class SlowDisk: Sendable {
    let files: ArtifactFiles
    private let path = NSTemporaryDirectory() + "slow-disk-" + UUID().uuidString
    private let isReached: AsyncStream<Void>
    private let mayGoOn = DispatchSemaphore(value: 0)

    /// A digest that waits for the disk, as the write before it would.
    private final class Digest: RunningDigest {
        private let digest: PlainSHA256?
        private let reach: AsyncStream<Void>.Continuation
        private let mayGoOn: DispatchSemaphore

        init(_ reach: AsyncStream<Void>.Continuation, _ mayGoOn: DispatchSemaphore, hashes: Bool) {
            (self.reach, self.mayGoOn, digest) = (reach, mayGoOn, hashes ? PlainSHA256() : nil)
        }

        func update(_ bytes: Span<UInt8>) {
            reach.yield()
            mayGoOn.wait()
            mayGoOn.signal()
            digest?.update(bytes)
        }

        func finish() -> [UInt8] { digest?.finish() ?? [] }
    }

    /// A disk.
    /// - Parameters:
    ///   - space: its size.
    ///   - isFast: whether it is released.
    ///   - hashes: whether what it takes is hashed.
    init(space: Int = 1 << 40, isFast: Bool = false, hashes: Bool = true) throws {
        let (reached, reach) = AsyncStream.makeStream(of: Void.self)
        isReached = reached
        let (mayGoOn, path) = (mayGoOn, path)
        var options = ArtifactOptions { Digest(reach, mayGoOn, hashes: hashes) }
        options.inlineBytesMax = 1_000
        options.reserve = DiskReserve(.bytes(0))
        options.reserve.read = { _ in
            DiskSpace(free: max(0, space - FileTree.byteCount(path)), total: space)
        }
        files = try ArtifactFiles(path: path, options: options)
        if isFast { release() }
    }

    deinit {
        release()
        files.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Waits for a thread that writes.
    func reached() async { for await _ in isReached { return } }

    func release() { mayGoOn.signal() }

    func names(_ folder: String) -> [String] { files.directory.names(in: folder) }

    func isEmpty(_ folder: String) async throws -> Bool {
        for _ in 0..<12_000 where !names(folder).isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        return names(folder).isEmpty
    }
}

/// Bytes of which no two parts are alike.
private func content(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ ($0 >> 8) ^ ($0 >> 16)) }
}

@Suite(.timeLimit(.minutes(2))) struct `Content on its way to the disk` {
    @Test func `makes more of it wait, until the disk has most of it`() throws {
        let load = WriteBack()
        let calls = Mutex(0)
        for _ in 0..<16 { load.begin(1 << 20) }
        #expect(!load.isOn)
        load.whenOff { calls.withLock { $0 += 1 } }
        #expect(calls.withLock { $0 } == 1)
        load.begin(1 << 20)
        #expect(load.isOn)
        load.whenOff { calls.withLock { $0 += 1 } }
        load.end(8 << 20)
        #expect(calls.withLock { $0 } == 1)
        load.end(1 << 20)
        #expect(calls.withLock { $0 } == 2)
        #expect(!load.isOn)
    }

    @Test func `is taken while the disk takes none, up to the limit, and then whole`() async throws {
        let disk = try SlowDisk(hashes: false)
        let load = try #require(disk.files.backpressure)
        let draft = try disk.files.newPartial(ArtifactKey(owner: "job", name: "large"))
        let piece = [UInt8](repeating: 7, count: 1 << 20)
        var count = 0
        while !load.isOn {
            try draft.append(piece.span)
            count += piece.count
        }
        #expect(count == 17 << 20)
        #expect(draft.byteCount == count)
        disk.release()
        await disk.files.waitForDisk()
        #expect(await draft.close() == count)
        #expect(!load.isOn)
    }

    @Test func `is in its file in the order in which it came, however it is cut`() async throws {
        let disk = try SlowDisk(isFast: true)
        let whole = content(1_700_000)
        let draft = disk.files.draft(for: "job")
        var (start, step) = (0, 1)
        while start < whole.count {
            let end = min(whole.count, start + step)
            try draft.append(whole.span.extracting(start..<end))
            (start, step) = (end, step * 3 % 300_007)
            if step % 5 == 0 { try await draft.sync() }
        }
        let artifact = try await draft.finishFile()
        #expect(artifact.sha256 == PlainSHA256.hex(whole))
        #expect(try disk.files.bytes(of: artifact, bytesMax: .max) == whole)
    }

    @Test func `is whole when it ends while a thread writes`() async throws {
        let disk = try SlowDisk()
        let whole = content(600_000)
        let draft = disk.files.draft(for: "job")
        try draft.append(whole.span.extracting(0..<300_000))
        await disk.reached()
        try draft.append(whole.span.extracting(300_000..<600_000))
        async let artifact = draft.finishFile()
        disk.release()
        #expect(try await disk.files.bytes(of: artifact, bytesMax: .max) == whole)
        #expect(try await disk.isEmpty("drafts"))
    }

    @Test func `is cancelled at its end without waiting for a write, and leaves no file`() async throws {
        let disk = try SlowDisk()
        let draft = disk.files.draft(for: "job")
        try draft.append(content(700_000).span)
        await disk.reached()
        let end = Task { try await draft.finish() }
        end.cancel()
        await #expect(throws: ArtifactFailure.self) { try await end.value }
        #expect(!disk.names("drafts").isEmpty)
        disk.release()
        #expect(try await disk.isEmpty("drafts"))
        #expect(disk.names("").sorted() == ["drafts", "partial", "trash"])
    }

    @Test func `is given up while a thread writes, and leaves neither a file nor its key`() async throws {
        let disk = try SlowDisk()
        let key = ArtifactKey(owner: "job", name: "part")
        let (former, other) = (try disk.files.newPartial(key), disk.files.draft(for: "job"))
        try former.append(content(300_000).span)
        await disk.reached()
        try other.append(content(300_000).span)
        former.discard()
        other.discard()
        let draft = try disk.files.newPartial(key)
        try draft.append([1, 2, 3].span)
        async let resumed = disk.files.partial(ArtifactKey(owner: "job", name: "part"), keeping: 300_000)
        disk.release()
        #expect(try await resumed.byteCount == 0)
        #expect(try await disk.isEmpty("drafts"))
        #expect(await draft.close() == 3)
    }

    @Test func `is read before it is in its file, and after it was given up`() async throws {
        let disk = try SlowDisk()
        let whole = content(700_000)
        let draft = try disk.files.fileDraft(for: "job")
        let reader = try draft.reader()
        for start in stride(from: 0, to: whole.count, by: 100_000) {
            try draft.append(whole.span.extracting(start..<start + 100_000))
        }
        await disk.reached()
        #expect(try reader.localBytes(0..<700_000) == whole)
        #expect(try reader.localBytes(650_000..<650_010) == Array(whole[650_000..<650_010]))
        draft.discard()
        #expect(try reader.localBytes(0..<700_000) == whole)
        disk.release()
        #expect(try await disk.isEmpty("drafts"))
        #expect(try reader.localBytes(0..<700_000) == whole)
    }

    @Test func `that is too much for the disk ends with that, and leaves no file`() async throws {
        let disk = try SlowDisk(space: 900_000, isFast: true)
        for isLate in [false, true] {
            let draft = disk.files.draft(for: "job")
            var failure: ArtifactFailure?
            do throws(ArtifactFailure) {
                for _ in 0..<(isLate ? 4 : 100) {
                    try draft.append(content(300_000).span)
                    if !isLate { try await draft.sync() }
                }
                _ = try await draft.finish()
            } catch {
                failure = error
            }
            #expect(failure?.code == .full, "\(String(describing: failure))")
            #expect(throws: ArtifactFailure.self) { try draft.append([1].span) }
            draft.discard()
            #expect(try await disk.isEmpty("drafts"))
        }
        #expect(disk.files.writeBack.bytes == 0)
    }
}

@Suite struct `Unfinished content under a key` {
    @Test func `is there until the end of its job when it was finished, for another finish`() async throws {
        let path = NSTemporaryDirectory() + "partials-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let files = try ArtifactFiles(path: path, options: ArtifactOptions { PlainSHA256() })
        let key = ArtifactKey(owner: "job", name: "pages#1")
        let content = [UInt8](repeating: 1, count: 3_000)
        let draft = try files.newPartial(key)
        try draft.append(content.span)
        let first = try await draft.finishFile(isKept: true)
        // After a crash, what no row names is removed.
        files.release(owner: "job")
        files.retire([first.sha256])
        #expect(throws: ArtifactFailure.self) { try files.bytes(of: first, bytesMax: 9_000) }
        let again = try await files.partial(key, keeping: 3_000)
        #expect(again.byteCount == 3_000)
        #expect(try await again.finishFile(isKept: true) == first)
        #expect(try files.bytes(of: first, bytesMax: 9_000) == content)
        // Also when it was not removed.
        #expect(try await files.partial(key, keeping: 3_000).finishFile(isKept: true) == first)
        // What is written under the key anew is not the finished content.
        let anew = try await files.partial(key, keeping: 0)
        try anew.append([2, 2].span)
        #expect(await anew.close() == 2)
        #expect(try files.bytes(of: first, bytesMax: 9_000) == content)
        #expect(files.directory.names(in: "drafts").isEmpty)
        files.removePartials(of: "job")
        #expect(await files.partialBytes(0..<1, of: key) == nil)
        #expect(files.directory.names(in: "partial").isEmpty)
    }

    @Test func `is not what was removed under the same key before`() async throws {
        let path = NSTemporaryDirectory() + "partials-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let files = try ArtifactFiles(path: path, options: ArtifactOptions { PlainSHA256() })
        let key = ArtifactKey(owner: "job", name: "part")
        let former = try files.newPartial(key)
        try former.append([UInt8](repeating: 1, count: 3_000).span)
        #expect(await former.close() == 3_000)
        // The threads that remove files are busy.
        let mayGoOn = DispatchSemaphore(value: 0)
        for _ in 0..<2 { files.workers.add { mayGoOn.wait() } }
        files.removePartial(key)
        let draft = try files.newPartial(key)
        #expect(draft.byteCount == 0)
        try draft.append([UInt8](repeating: 2, count: 5_000).span)
        for _ in 0..<2 { mayGoOn.signal() }
        #expect(await draft.close() == 5_000)
        #expect(try await files.partial(key, keeping: 5_000).byteCount == 5_000)
        files.close()
    }
}
