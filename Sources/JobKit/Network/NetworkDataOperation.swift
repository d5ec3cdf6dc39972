public import HTTPMessage

/// Makes one call and evaluates its content in memory.
public struct NetworkDataOperation<Evaluator: NetworkEvaluator>: AOperation {
    /// The display name.
    public let name: String
    private let evaluator: Evaluator

    /// A call.
    public init(_ evaluator: Evaluator, name: String? = nil) {
        self.evaluator = evaluator
        self.name = name ?? String(describing: Evaluator.self)
    }

    /// Makes the call.
    /// - Throws: the errors of the evaluator; that of the call is one of them.
    public func execute(in context: OperationContext) async throws -> Evaluator.Output {
        try await evaluator.perform(evaluator.call(in: context), in: context)
    }
}

/// Makes one call whose content is the received input.
public struct NetworkUploadOperation<Evaluator: NetworkEvaluator>: ReceivingOperation {
    /// The content; nil is none, and an error: `reference.missing`.
    public typealias Input = [UInt8]?

    /// The display name.
    public let name: String
    private let evaluator: Evaluator

    /// A call whose content comes from `receiving(_:)`.
    public init(_ evaluator: Evaluator, name: String? = nil) {
        self.evaluator = evaluator
        self.name = name ?? String(describing: Evaluator.self)
    }

    /// Makes the call.
    /// - Throws: the errors of the evaluator; that of the call is one of them.
    public func execute(receiving content: [UInt8]?, in context: OperationContext) async throws
        -> Evaluator.Output
    {
        guard let content else {
            throw AOperationError(
                .referenceMissing, detail: "\(name) was given nothing to send.", retryable: false)
        }
        var call = try await evaluator.call(in: context)
        call.body = content
        return try await evaluator.perform(call, in: context)
    }
}

/// An evaluator that returns the answer unchanged.
public struct AnswerEvaluator: NetworkEvaluator {
    /// The request.
    public var call: HTTPCall
    /// Whether a status from 400 on is an error.
    public var refusesErrorStatus: Bool
    /// Whether an answer without content is an error.
    public var needsContent: Bool

    /// Wants the answer to `call`.
    public init(_ call: HTTPCall, refusesErrorStatus: Bool = true, needsContent: Bool = true) {
        self.call = call
        self.refusesErrorStatus = refusesErrorStatus
        self.needsContent = needsContent
    }

    /// The request.
    public func call(in context: OperationContext) -> HTTPCall { call }

    /// The answer.
    /// - Throws: the error of a call without an answer.
    public func evaluate(_ answer: Result<HTTPCallAnswer, AOperationError>) throws -> HTTPCallAnswer {
        try answer.get()
    }
}
