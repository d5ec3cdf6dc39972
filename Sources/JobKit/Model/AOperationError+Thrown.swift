internal import HTTPMessage

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension AOperationError {
    /// Converts a thrown error of a known type; nil for other types.
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

    /// An error thrown by the work of an operation. An error of an unknown type counts as transient.
    package init(thrown error: any Error, by name: String) {
        if let known = AOperationError(known: error) {
            self = known
            return
        }
        let words = PublishedError(error).description
        self.init(.unexpected, detail: "\(name) threw \(Self.sentence(words))", retryable: true)
        keep(error)
    }

    /// An error caused by `error`: as the cause if it is known, or in its words.
    package init(_ code: ErrorCode, detail: String, because error: any Error, stage: Stage = .execution) {
        if let cause = AOperationError(known: error) {
            self.init(code, detail: "\(detail) \(cause.detail)", stage: stage, causes: [cause])
            return
        }
        let words = PublishedError(error).description
        self.init(code, detail: "\(detail) \(Self.sentence(words))", stage: stage)
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
    /// The text of an error: that of a `LocalizedError`, or its description.
    init(_ error: any Error) {
        let localized = error as? any LocalizedError
        self.init(
            domain: "\(type(of: error))", code: 0, description: localized?.errorDescription ?? "\(error)",
            failureReason: localized?.failureReason, recoverySuggestion: localized?.recoverySuggestion)
    }
}

extension AOperationError: CustomStringConvertible {
    /// One line for people: code, detail and origin.
    public var description: String {
        path.isEmpty ? "\(code): \(detail)" : "\(code): \(detail) (\(path.joined(separator: "/")))"
    }
}

extension AOperationError: LocalizedError {
    /// The detail.
    public var errorDescription: String? { detail }
    /// The reason given by the underlying error.
    public var failureReason: String? { publishedError?.failureReason }
    /// The remedy given by the underlying error.
    public var recoverySuggestion: String? { publishedError?.recoverySuggestion }
}
