import Foundation
import JobKit
import Synchronization
import Testing

@testable import ContentFiles

@Suite struct `Content on its way to the disk` {
    @Test func `makes more of it wait, until the disk has most of it`() throws {
        let path = NSTemporaryDirectory() + "write-back-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try ArtifactFile.writing(path)
        try file.append([UInt8](repeating: 7, count: 100).span)
        let workers = try ArtifactWorkers(count: 1)
        defer { workers.close() }
        let (isHeld, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        workers.add {
            isHeld.signal()
            mayGoOn.wait()
        }
        isHeld.wait()
        let load = WriteBack(workers)
        let calls = Mutex(0)
        for piece in 0..<16 { load.write(file, piece << 20..<(piece + 1) << 20) }
        #expect(!load.isOn)
        load.whenOff { calls.withLock { $0 += 1 } }
        #expect(calls.withLock { $0 } == 1)
        load.write(file, 16 << 20..<17 << 20)
        #expect(load.isOn)
        let isOff = DispatchSemaphore(value: 0)
        load.whenOff { isOff.signal() }
        #expect(isOff.wait(timeout: .now()) == .timedOut)
        mayGoOn.signal()
        #expect(isOff.wait(timeout: .now() + 60) == .success)
        #expect(!load.isOn)
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
