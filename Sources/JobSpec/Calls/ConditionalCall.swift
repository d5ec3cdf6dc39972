internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// A conditional request: asks whether the content changed since the last good answer to the same request.
struct ConditionalCall: Sendable {

    private let context: OperationContext
    private let key: String
    private let known: AnswerValidator?
    private let book: any ValidatorBook

    /// Looks up the validators of this request.
    /// - Returns: nil without a validator book; the call is unconditional then.
    /// - Throws: the errors of the preparation of the call.
    init?(_ dispatch: CallDispatch) async throws(AOperationError) {
        let environment = dispatch.context.core.environment
        guard let book = environment.validators, let digest = environment.digest else { return nil }
        context = dispatch.context
        key = digest(try await Self.identity(of: dispatch))
        self.book = book
        let found = try? await book.validator(for: key)
        // A run stores the validator before the result. When the process ended in between, only the validator is
        // there, and an answer without content would refer to the content that this call is about to fetch.
        let isOwn = found?.job == dispatch.context.seed && found?.path == dispatch.context.path
        known = isOwn ? nil : found
    }

    /// Adds `If-None-Match` and `If-Modified-Since` to `call`, when something is known.
    func apply(to call: inout HTTPCall) {
        if let tag = known?.entityTag { call.fields.append(("If-None-Match", tag)) }
        if let date = known?.lastModified { call.fields.append(("If-Modified-Since", date)) }
    }

    /// The result when nothing changed: without content, and with the job that has it. Nil for any other answer.
    func unchanged(_ answer: HTTPCallAnswer) -> OperationResult? {
        guard answer.status == 304, let known else { return nil }
        var result = OperationResult(answer: answer)
        result.headers.removeAll { $0.name == OperationResult.unchangedField }
        let place = ([known.job] + known.path).joined(separator: "/")
        result.headers.append(.init(name: OperationResult.unchangedField, value: place))
        result.body = []
        return result
    }

    /// Stores the validators of a good answer. A failure is ignored: the next call is then unconditional.
    func remember(_ answer: HTTPCallAnswer) async {
        guard answer.status == 200,
            let validator = AnswerValidator(answer, job: context.seed, path: context.path)
        else { return }
        try? await book.remember(validator, for: key)
    }

    /// The identity of a request: method, URL, authentication, and all fields except those that differ in every call.
    private static func identity(of dispatch: CallDispatch) async throws(AOperationError) -> [UInt8] {
        let spec = dispatch.spec
        let call = try await dispatch.makeCall(path: dispatch.context.path)
        let changing: Set<String> = ["idempotency-key", "traceparent", "tracestate", "date"]
        var text =
            "\(call.method) \(call.url)\n\(spec.connection ?? "") \(spec.auth) \(call.route.compression)\n"
        for field in call.fields where !changing.contains(field.name.lowercased()) {
            text += "\(field.name.lowercased()): \(field.value)\n"
        }
        return Array(text.utf8)
    }
}
