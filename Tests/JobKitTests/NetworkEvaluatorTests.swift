import HTTPMessage
import Synchronization
import Testing
import TestOperations

@testable import JobKit

/// Answers every call in the same way and records requests.
private final class Answering: Transport {
    let answer: Result<HTTPCallAnswer, HTTPCallFailure>
    let calls = Record<HTTPCall>()

    init(status: Int = 200, body: String = "body") {
        answer = .success(
            HTTPCallAnswer(status: status, fields: [], body: Array(body.utf8), exchange: HTTPCallExchange()))
    }

    init(failing code: String) {
        answer = .failure(
            HTTPCallFailure(
                code: code, detail: "as asked", phase: .wait, delivery: .sentUnknown, nativeCode: 8))
    }

    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        calls.append(call)
        return try answer.get()
    }

    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {}
}

/// Turns the answer into text, and an error into text when it is to be rescued.
private struct Text: NetworkEvaluator {
    var method = "GET"
    var rescues = false
    var refusesErrorStatus = true
    var needsContent = true

    func call(in context: OperationContext) -> HTTPCall {
        HTTPCall(method: method, url: "http://a.example/")
    }

    func evaluate(_ answer: Result<HTTPCallAnswer, AOperationError>) throws -> String {
        switch answer {
        case .success(let answer) where answer.body == Array("bad".utf8):
            throw AOperationError("test.refused", detail: "not what was wanted")
        case .success(let answer): return "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
        case .failure(let error) where rescues: return "rescued \(error.code)"
        case .failure(let error): throw error
        }
    }
}

@Suite struct `A call with an evaluator` {
    private func run(_ evaluator: Text, _ transport: Answering) async -> OperationOutcome<String> {
        let queue = AOperationQueue(
            environment: OperationEnvironment(clock: ManualClock(), transport: transport))
        return await queue.add(NetworkDataOperation(evaluator, name: "load")).outcome
    }

    @Test func `outputs the result of the evaluator`() async {
        #expect(await run(Text(), Answering()).value == "200 body")
        let refused = await run(Text(), Answering(body: "bad"))
        #expect(refused.errors.first?.code.description == "test.refused")
        #expect(refused.errors.first?.publisher == "load")
    }

    @Test func `refuses an error status unless that is switched off`() async {
        let refused = await run(Text(), Answering(status: 404))
        #expect(refused.errors.first?.code == .httpStatus)
        #expect(refused.errors.first?.upstream?.status == 404)
        #expect(await run(Text(refusesErrorStatus: false), Answering(status: 404)).value == "404 body")
        #expect(await run(Text(rescues: true), Answering(status: 529)).value == "rescued http.status")
    }

    @Test func `distinguishes an empty answer and one that is not HTTP`() async {
        let empty = await run(Text(), Answering(body: "")).errors.first
        #expect(empty?.code == .bodyEmpty)
        #expect(empty?.publishedError?.domain == "jobkit.network")
        #expect(empty?.publishedError?.code == 11)
        #expect(await run(Text(needsContent: false), Answering(body: "")).value == "200 ")
        #expect(await run(Text(), Answering(status: 204, body: "")).value == "204 ")
        #expect(await run(Text(method: "HEAD"), Answering(body: "")).value == "200 ")
        let odd = await run(Text(), Answering(failing: "http.protocol")).errors.first
        #expect(odd?.code == .httpProtocol)
        #expect(odd?.publishedError?.code == 12)
        let refused = await run(Text(), Answering(failing: "connect.refused")).errors.first
        #expect(refused?.publishedError?.domain == "curl")
        #expect(refused?.retryable == true)
        #expect(
            await run(Text(rescues: true), Answering(failing: "dns.failed")).value == "rescued dns.failed")
    }

    @Test func `sends its input, and fails without one`() async throws {
        let transport = Answering()
        let queue = AOperationQueue(
            environment: OperationEnvironment(clock: ManualClock(), transport: transport))
        let upload = NetworkUploadOperation(Text(method: "PUT"), name: "upload")
        let content = queue.add(Giving([UInt8]?.some([1, 2, 3])))
        #expect(try await queue.add(upload.receiving(content)).value == "200 body")
        #expect(transport.calls.all.first?.body == [1, 2, 3])
        let nothing = await queue.add(upload.receiving(value: nil)).waitUntilFinished()
        #expect(nothing.errors.first?.code == .referenceMissing)
        #expect(transport.calls.all.count == 1)
    }
}

/// Keeps files in memory.
private final class Shelf: DownloadPlace {
    private let files = Mutex<[String: [UInt8]]>([:])

    private final class Draft: DownloadDraft {
        let path: String
        let shelf: Shelf

        init(path: String, shelf: Shelf) {
            self.path = path
            self.shelf = shelf
        }

        func append(_ bytes: Span<UInt8>) {
            shelf.files.withLock { files in
                for index in bytes.indices { files[path, default: []].append(bytes[index]) }
            }
        }

        func finish() -> DownloadedFile {
            DownloadedFile(path: path, byteCount: shelf.all[path]?.count ?? 0)
        }

        func discard() { shelf.files.withLock { $0[path] = nil } }
    }

    func keep(_ file: DownloadedFile) {}

    func begin(for call: HTTPCall) -> any DownloadDraft {
        let count = files.withLock { $0.count }
        files.withLock { $0["file \(count)"] = [] }
        return Draft(path: "file \(count)", shelf: self)
    }

    func discard(_ file: DownloadedFile) async { files.withLock { $0[file.path] = nil } }

    var all: [String: [UInt8]] { files.withLock { $0 } }
}

private struct Keeping: DownloadEvaluator {
    var refuses = false

    func call(in context: OperationContext) -> HTTPCall {
        HTTPCall(method: "GET", url: "http://a.example/f")
    }

    func evaluate(_ download: Result<Download, AOperationError>) async throws -> DownloadedFile {
        if refuses { throw AOperationError("test.refused", detail: "not this one") }
        return try download.get().file
    }
}

@Suite struct `A download with an evaluator` {
    private func run(
        _ evaluator: Keeping, _ transport: Answering, _ shelf: Shelf
    ) async -> OperationOutcome<DownloadedFile> {
        let queue = AOperationQueue(
            environment: OperationEnvironment(clock: ManualClock(), transport: transport))
        return await queue.add(NetworkDownloadOperation(evaluator, to: shelf)).outcome
    }

    @Test func `leaves its file where it is when it succeeded`() async {
        let shelf = Shelf()
        let file = await run(Keeping(), Answering(), shelf).value
        #expect(file?.byteCount == 4)
        #expect(shelf.all[file?.path ?? ""] == Array("body".utf8))
    }

    @Test func `removes its file when it failed`() async {
        let shelf = Shelf()
        #expect(await run(Keeping(refuses: true), Answering(), shelf).errors.count == 1)
        #expect(await run(Keeping(), Answering(status: 500), shelf).errors.first?.code == .httpStatus)
        #expect(shelf.all.isEmpty)
    }
}
