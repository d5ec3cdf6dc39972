import Foundation
import Glibc
import StrictJSON
import Testing

/// A pipe in place of the first file for content: a write to it waits until it is read.
private final class StuckFile {
    private let path: String
    private let reader: Int32

    init(_ server: LiveServer) throws {
        path = server.directory.appending(path: "data/artifacts/drafts/1").path
        guard unsafe mkfifo(path, 0o600) == 0 else { throw POSIXError(.EEXIST) }
        reader = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    }

    deinit {
        drain()
        close(reader)
    }

    /// Whether a write waits: the pipe is full.
    var isStuck: Bool {
        var bytes: Int32 = 0
        return unsafe ioctl(reader, UInt(FIONREAD), &bytes) == 0 && bytes == 64 << 10
    }

    var isThere: Bool { unsafe access(path, F_OK) == 0 }

    /// Reads until nothing comes any more.
    func drain() {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        var quiet = 0
        while quiet < 20 {
            quiet = unsafe read(reader, &piece, piece.count) > 0 ? 0 : quiet + 1
            usleep(5_000)
        }
    }
}

/// Content for a disk that does not take it.
@Suite(.serialized) struct `A live server whose disk is slow` {
    private let small = Origin(Array("ok".utf8))
    private let large = Origin([UInt8](repeating: 0x61, count: 1 << 20))

    private func get(_ origin: Origin) -> String {
        #"{"type":"network","request":"\#(origin.url)","retry":{"max_attempts":1}}"#
    }

    @Test func `goes on with other jobs while it waits for a write`() throws {
        let server = try LiveServer()
        let file = try StuckFile(server)
        let slow = try server.submit(get(large))
        #expect(soon { file.isStuck })
        let other = try server.post("/v1/jobs", get(small), headers: ["Prefer: wait=10"])
        #expect(other.at("/state") == "succeeded", "\(other.json)")
        #expect(try server.get("/v1/jobs/\(slow)").at("/state") == "running")
        #expect(file.isStuck)
        // A pipe is not made durable.
        file.drain()
        #expect(try soon { try server.get("/v1/jobs/\(slow)").at("/error/code") == "storage.failed" })
    }

    @Test func `cancels a job that waits for a write, and keeps nothing of it`() throws {
        let server = try LiveServer()
        let file = try StuckFile(server)
        let slow = try server.submit(get(large))
        #expect(soon { file.isStuck })
        let begin = ContinuousClock.now
        #expect(try server.post("/v1/jobs/\(slow):cancel").status < 300)
        #expect(try soon { try server.get("/v1/jobs/\(slow)").at("/state") == "cancelled" })
        // A run that does not end itself is ended after five seconds.
        #expect(ContinuousClock.now - begin < .seconds(4))
        #expect(file.isStuck)
        file.drain()
        #expect(soon { !file.isThere })
    }
}
