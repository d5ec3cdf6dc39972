public import HTTPMessage

/// Where downloads are kept. JobKit touches no disk itself.
public protocol DownloadPlace: Sendable {
    /// Begins a new file for the content of the answer to `call`. Quick.
    func begin(for call: HTTPCall) throws -> any DownloadDraft

    /// Removes what was kept: nobody wants it. Nothing when it is gone already.
    func discard(_ file: DownloadedFile) async
}

/// A file on its way. One at a time uses it.
public protocol DownloadDraft: AnyObject, Sendable {
    /// Takes the next piece. Must be quick.
    func append(_ bytes: Span<UInt8>) throws

    /// Ends the file: it is kept until somebody takes it away.
    func finish() async throws -> DownloadedFile

    /// Ends the file and removes it. Quick.
    func discard()
}

/// Content that a download left behind.
public struct DownloadedFile: Sendable, Hashable {
    /// Where it is: for the place that keeps it a path or another name of its own.
    public var path: String
    /// How long it is.
    public var byteCount: Int

    /// A file.
    public init(path: String, byteCount: Int) {
        self.path = path
        self.byteCount = byteCount
    }
}

/// A download: what came, and where it is kept.
public struct Download: Sendable {
    /// Where the content is kept.
    public let file: DownloadedFile
    /// The answer; its content stands in the file only.
    public let answer: HTTPCallAnswer
}

/// A call and what is made of the file that it leaves behind.
public protocol DownloadEvaluator<Output>: Sendable {
    /// What it makes of the download.
    associatedtype Output: Sendable

    /// Whether a status from 400 on is an error. Default true.
    var refusesErrorStatus: Bool { get }

    /// The request. Called once per attempt.
    func call(in context: AOperationContext) async throws -> HTTPCall

    /// Makes the result. The file is there, and stays when the operation succeeded: it belongs to whoever has the
    /// result. When the operation fails or is stopped the file is discarded.
    func evaluate(_ download: Result<Download, AOperationError>) async throws -> Output
}

extension DownloadEvaluator {
    /// True.
    public var refusesErrorStatus: Bool { true }
}

/// Makes one call and keeps its content in a place, piece by piece as it comes. It is at most as large as the call's
/// `answerBytesMax`.
public struct NetworkDownloadOperation<Evaluator: DownloadEvaluator>: AOperation {
    /// What it is called.
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
    public func execute(in context: AOperationContext) async throws -> Evaluator.Output {
        var call = try await evaluator.call(in: context)
        let sink = DownloadPlaceSink(place: place, call: call, keepsErrors: !evaluator.refusesErrorStatus)
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
            return try await evaluator.evaluate(.success(Download(file: file, answer: answer)))
        } catch {
            await place.discard(file)
            throw error
        }
    }
}
