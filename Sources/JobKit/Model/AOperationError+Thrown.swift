public import FoundationEssentials
internal import HTTPMessage

extension AOperationError {
    /// What was thrown, when its type says by itself what went wrong; nil for any other.
    init?(known error: any Error) {
        switch error {
        case let error as AOperationError: self = error
        case let failure as HTTPCallFailure:
            self.init(callFailure: failure)
            underlying = failure
        case let failure as ArtifactFailure:
            self.init(artifact: failure)
            underlying = failure
        default: return nil
        }
    }

    /// What the work of an operation threw. An error of a type that is not known may pass.
    package init(thrown error: any Error, by name: String) {
        if let known = AOperationError(known: error) {
            self = known
            return
        }
        let words = PublishedError(error).description
        self.init(.unexpected, detail: "\(name) threw \(Self.sentence(words))", retryable: true)
        keep(error)
    }

    /// An error that arose because `error` was thrown: with it as the cause, or in its words.
    package init(_ code: ErrorCode, detail: String, because error: any Error, state: State = .execution) {
        if let cause = AOperationError(known: error) {
            self.init(code, detail: "\(detail) \(cause.detail)", state: state, causes: [cause])
            return
        }
        let words = PublishedError(error).description
        self.init(code, detail: "\(detail) \(Self.sentence(words))", state: state)
        keep(error)
    }

    private mutating func keep(_ error: any Error) {
        publishedError = PublishedError(error)
        underlying = error
    }

    private static func sentence(_ words: String) -> String {
        words.last.map { ".!?".contains($0) } == true ? words : words + "."
    }
}

extension AOperationError.PublishedError {
    /// An error in its own words: those of a `LocalizedError`, or what it prints.
    init(_ error: any Error) {
        let localized = error as? any LocalizedError
        self.init(
            domain: "\(type(of: error))", code: 0, description: localized?.errorDescription ?? "\(error)",
            failureReason: localized?.failureReason, recoverySuggestion: localized?.recoverySuggestion)
    }
}

extension AOperationError: CustomStringConvertible {
    /// One line for people: code, detail and where it arose.
    public var description: String {
        path.isEmpty ? "\(code): \(detail)" : "\(code): \(detail) (\(path.joined(separator: "/")))"
    }
}

extension AOperationError: LocalizedError {
    /// The detail.
    public var errorDescription: String? { detail }
    /// Why, when the underlying error says so.
    public var failureReason: String? { publishedError?.failureReason }
    /// What a person can do, when the underlying error says so.
    public var recoverySuggestion: String? { publishedError?.recoverySuggestion }
}
