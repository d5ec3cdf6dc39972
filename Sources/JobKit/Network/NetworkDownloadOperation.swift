public import HTTPMessage

/// A store of downloads. JobKit itself never accesses a disk.
public protocol DownloadPlace: Sendable {
    /// Creates a file for the content of the answer to `call`. Must not block.
    /// - Throws: when there can be no file; the call is not made then.
    func begin(for call: HTTPCall) throws -> any DownloadDraft

    /// Keeps a file whose operation is about to succeed. Empty where a finished file stays as it is.
    /// - Throws: when the file cannot be kept; the operation fails then.
    func keep(_ file: DownloadedFile) async throws

    /// Removes a file that is not needed. Ignores one that is gone already.
    func discard(_ file: DownloadedFile) async
}

/// A file being written. Never used concurrently.
public protocol DownloadDraft: AnyObject, Sendable {
    /// Appends content. Must not block.
    /// - Throws: when the content cannot be stored; that ends the call.
    func append(_ bytes: Span<UInt8>) throws

    /// Finishes the file, which stays until its owner removes it.
    /// - Throws: when the file cannot be completed.
    func finish() async throws -> DownloadedFile

    /// Removes the file. Must not block.
    func discard()
}

/// The file of a finished download.
public struct DownloadedFile: Sendable, Hashable {
    /// The location: a path, or another name of the store.
    public var path: String
    /// The length in bytes.
    public var byteCount: Int

    /// A file.
    public init(path: String, byteCount: Int) {
        self.path = path
        self.byteCount = byteCount
    }
}

/// A finished download: the answer and the file.
public struct Download: Sendable {
    /// The file with the content.
    public let file: DownloadedFile
    /// The answer, without its content, which is only in the file.
    public let answer: HTTPCallAnswer
}

/// A call and the evaluation of the downloaded file.
public protocol DownloadEvaluator<Output>: Sendable {
    /// The result of the evaluation.
    associatedtype Output: Sendable

    /// Whether a status from 400 on is an error. Default true.
    var refusesErrorStatus: Bool { get }

    /// The request. Called once per attempt.
    /// - Throws: when there is no request; the attempt fails.
    func call(in context: OperationContext) async throws -> HTTPCall

    /// Computes the result. The file exists, and stays when the operation succeeds: it belongs to the owner of the
    /// result. When the operation fails or is stopped the file is discarded.
    /// - Throws: when the download is not what was wanted; the attempt fails.
    func evaluate(_ download: Result<Download, AOperationError>) async throws -> Output
}

extension DownloadEvaluator {
    /// True.
    public var refusesErrorStatus: Bool { true }
}

/// Makes one call and streams its content into a place. The size is limited by the call's `answerBytesMax`. It reports
/// progress in bytes; the total is that of the answer's `Content-Length`.
public struct NetworkDownloadOperation<Evaluator: DownloadEvaluator>: AOperation {
    /// The display name.
    public let name: String
    private let evaluator: Evaluator
    private let place: any DownloadPlace

    /// A download to `place`.
    public init(_ evaluator: Evaluator, to place: any DownloadPlace, name: String? = nil) {
        self.evaluator = evaluator
        self.place = place
        self.name = name ?? String(describing: Evaluator.self)
    }

    /// Makes the call.
    /// - Throws: the errors of the place and of the evaluator; that of the call is one of them.
    public func execute(in context: OperationContext) async throws -> Evaluator.Output {
        var call = try await evaluator.call(in: context)
        let sink = DownloadPlaceSink(
            place: place, call: call, keepsErrors: !evaluator.refusesErrorStatus, report: context.report)
        call.sink = sink
        let plain = AnswerEvaluator(
            call, refusesErrorStatus: evaluator.refusesErrorStatus, needsContent: false)
        let checked = await plain.checkedAnswer(to: call, in: context)
        if Task.isCancelled {
            sink.discard()
            throw CancellationError()
        }
        var answer: HTTPCallAnswer
        switch checked {
        case .success(let came): answer = came
        case .failure(let error):
            sink.discard()
            return try await evaluator.evaluate(.failure(error))
        }
        let file = try await sink.finish(answer)
        answer.body = []
        do {
            if Task.isCancelled { throw CancellationError() }
            let output = try await evaluator.evaluate(.success(Download(file: file, answer: answer)))
            if Task.isCancelled { throw CancellationError() }
            try await place.keep(file)
            return output
        } catch {
            await place.discard(file)
            throw error
        }
    }
}
