import FaultyHTTP
import Foundation
import JobHTTP
import Synchronization
import Testing

/// A folder that goes with it.
private final class Folder {
    let path = NSTemporaryDirectory() + "downloads-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
    func file(_ name: String) -> FilePlace { FilePlace(path + "/" + name) }
    func text(_ name: String) throws -> String {
        try String(contentsOfFile: path + "/" + name, encoding: .utf8)
    }
    func write(_ text: String, to name: String) throws {
        try text.write(toFile: path + "/" + name, atomically: true, encoding: .utf8)
    }
}

@Suite struct `A download to a file` {
    private let queue = AOperationQueue(transport: .curl)
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Content that depends on each byte's place.
    private static let content = String(
        decoding: (0..<3_000_000).map { (place: Int) -> UInt8 in 0x61 + UInt8(place / 7 * place % 26) },
        as: UTF8.self)

    /// The same on both sides: FNV-1a.
    private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    @Test func `is there, whole, when the operation has succeeded`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll(Self.content) }
        defer { server.stop() }
        let place = folder.file("report")
        let file = try await queue.add(NetworkDownloadOperation(url: server.url(), to: place)).value
        #expect(file == DownloadedFile(path: place.path, byteCount: 3_000_000))
        #expect(folder.names == ["report"])
        #expect(try Self.checksum(folder.text("report").utf8) == Self.checksum(Self.content.utf8))
    }

    @Test func `is checked before it takes the place of another`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll(Self.content) }
        defer { server.stop() }
        try folder.write("before", to: "report")
        let wanted = Self.checksum(Self.content.utf8)
        func download(_ wanted: UInt64) -> NetworkDownloadOperation<FileEvaluator<UInt64>> {
            NetworkDownloadOperation(url: server.url(), to: folder.file("report")) { download in
                let bytes = try Data(contentsOf: URL(fileURLWithPath: download.file.path))
                let found = Self.checksum(bytes)
                guard found == wanted else {
                    throw AOperationError(.downloadDigest, detail: "It is \(found).")
                }
                return found
            }
        }
        let error = try await expectError(queue.add(download(wanted &+ 1)))
        #expect(error.code == .downloadDigest)
        #expect(folder.names == ["report"])
        #expect(try folder.text("report") == "before")
        #expect(try await queue.add(download(wanted)).value == wanted)
        #expect(folder.names == ["report"])
        #expect(try folder.text("report").utf8.count == 3_000_000)
    }

    /// Breaks off the first answers after a third, and gives the whole one then.
    private func breaking(times: Int) -> FaultServer {
        FaultServer { connection, number in
            connection.readRequest()
            guard number < times else { return connection.answer(Self.content) }
            connection.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + Self.content.prefix(1_000_000))
        }
    }

    @Test func `leaves nothing when it is interrupted`() async throws {
        let server = breaking(times: .max)
        defer { server.stop() }
        try folder.write("before", to: "report")
        let error = try await expectError(
            queue.add(NetworkDownloadOperation(url: server.url(), to: folder.file("report"))))
        #expect(error.code.description == "body.truncated")
        #expect(error.delivery == "answered")
        #expect(error.retryable)
        #expect(folder.names == ["report"])
        #expect(try folder.text("report") == "before")
    }

    @Test func `tells how far it is, in bytes`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.answer(Self.content)
        }
        defer { server.stop() }
        let told = Mutex<[OperationProgress]>([])
        let download = NetworkDownloadOperation(url: server.url(), to: folder.file("report"))
            .onProgress { _, progress in told.withLock { $0.append(progress) } }
        _ = try await queue.add(download).value
        let all = told.withLock { $0 }
        #expect(all.last?.completed == 3_000_000)
        #expect(all.last?.total == 3_000_000)
        #expect(all.map(\.completed) == all.map(\.completed).sorted())
        #expect((2...47).contains(all.count))
    }

    @Test func `is whole after another attempt`() async throws {
        let server = breaking(times: 2)
        defer { server.stop() }
        let rule = RetrySpec(attemptsMax: 3, backoff: .fixed(.zero), jitter: .none)
        let download = NetworkDownloadOperation(url: server.url(), to: folder.file("report"))
        #expect(try await queue.add(download.retry(rule, method: .get)).value.byteCount == 3_000_000)
        #expect(folder.names == ["report"])
        #expect(try folder.text("report") == Self.content)
    }

    @Test func `leaves nothing when it is cancelled`() async throws {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.waitForClose()
        }
        defer { server.stop() }
        let handle = queue.add(NetworkDownloadOperation(url: server.url(), to: folder.file("report")))
        try await until { folder.names.first?.hasPrefix("report.") == true }
        handle.cancel()
        #expect(await handle.waitUntilFinished().state == .cancelled)
        try await until { folder.names.isEmpty }
    }

    @Test func `leaves nothing when the upstream refuses`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("no", status: "404 Not Found") }
        defer { server.stop() }
        let error = try await expectError(
            queue.add(NetworkDownloadOperation(url: server.url(), to: folder.file("report"))))
        #expect(error.code == .httpStatus)
        #expect(folder.names.isEmpty)
    }

    @Test func `says that its folder is missing`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("x") }
        defer { server.stop() }
        let place = folder.file("none/report")
        let error = try await expectError(queue.add(NetworkDownloadOperation(url: server.url(), to: place)))
        #expect(error.code == .storageMissing)
        #expect(
            error.detail
                == "The file \(place.path) cannot be made: its folder does not exist. Make the folder first.")
        #expect(!error.retryable)
    }

    @Test func `has a file as the content of a request, too`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll("ok") }
        defer { server.stop() }
        try folder.write(Self.content, to: "upload")
        var call = HTTPCall(method: "PUT", url: server.url())
        call.source = try FileContent(folder.file("upload").path)
        #expect(
            try await queue.add(NetworkDataOperation(call) { _, response in response.status }).value == 200)
        #expect(server.requests.first?.hasSuffix("\r\n\r\n" + Self.content) == true)
        let missing = folder.file("missing").path
        let error = #expect(throws: AOperationError.self) { try FileContent(missing) }
        #expect(error?.code == .storageMissing)
        #expect(error?.detail.contains(missing) == true)
        #expect(throws: AOperationError.self) { try FileContent(folder.path) }
    }

    @Test func `has the limits of its call`() async throws {
        let server = FaultServer { connection, _ in connection.answerAll(Self.content) }
        defer { server.stop() }
        var call = HTTPCall(url: server.url())
        call.answerBytesMax = 1_000
        let error = try await expectError(
            queue.add(NetworkDownloadOperation(call, to: folder.file("report"))))
        #expect(error.code == .bodyTooLarge)
        #expect(folder.names.isEmpty)
    }
}
