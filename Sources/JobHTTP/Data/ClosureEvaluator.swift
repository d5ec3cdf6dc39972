public import FoundationEssentials
public import HTTPMessage
public import JobKit

/// A call and a closure that makes a value of the content of its answer.
///
/// The closure is called for every answer with a status below 400, with its content and with the answer itself, whose
/// `body` is empty then. A `DecodingError` that it throws becomes the error `body.unreadable`; any other error is kept.
public struct ClosureEvaluator<Output: Sendable>: NetworkEvaluator {
    /// Makes a value of an answer.
    public typealias Parse = @Sendable (_ data: Data, _ response: HTTPCallAnswer) async throws -> Output

    /// The request.
    public var call: HTTPCall
    /// Whether an answer without content is an error. Default false: the closure decides.
    public var needsContent = false
    private let parse: Parse

    /// Makes a value of the answer to `call`.
    public init(_ call: HTTPCall, parse: @escaping Parse) {
        self.call = call
        self.parse = parse
    }

    /// The request.
    public func call(in context: OperationContext) -> HTTPCall { call }

    /// The value of the closure.
    /// - Throws: the error of the call, or that of the closure.
    public func evaluate(_ answer: Result<HTTPCallAnswer, AOperationError>) async throws -> Output {
        let whole = try answer.get()
        var response = whole
        response.body = []
        do { return try await parse(Data(whole.body), response) } catch let error as DecodingError {
            throw AOperationError(unreadable: error, in: whole, to: call, as: Output.self)
        }
    }
}

extension ClosureEvaluator where Output: Decodable {
    /// Decodes the content of the answer to `call`, which must be JSON.
    public init(_ call: HTTPCall) {
        self.init(call) { data, _ in try JSONDecoder().decode(Output.self, from: data) }
        needsContent = true
    }
}
