/// A predicate over errors.
public struct ErrorMatcher: Sendable {
    private let matches: @Sendable (AOperationError) -> Bool

    /// The errors for which `matches` returns true.
    public init(_ matches: @escaping @Sendable (AOperationError) -> Bool) { self.matches = matches }

    /// Matches every error.
    public static let any = ErrorMatcher { _ in true }

    /// Errors with one of these codes.
    public static func code(_ codes: ErrorCode...) -> ErrorMatcher {
        let codes = Set(codes)
        return ErrorMatcher { codes.contains($0.code) }
    }

    /// Errors of a family, such as `timeout`.
    public static func family(_ family: String) -> ErrorMatcher { ErrorMatcher { $0.code.family == family } }

    /// Errors that arose in the operation or condition of this name.
    public static func publisher(_ name: String) -> ErrorMatcher { ErrorMatcher { $0.publisher == name } }

    /// Whether `error` is meant.
    public func callAsFunction(_ error: AOperationError) -> Bool { matches(error) }
}

/// Maps the errors of a group's members. The first matching rule applies; an error without a matching rule is kept.
///
/// ```swift
/// GroupOperation("sync", childErrors: [.ignore(.code(.httpStatus)), .map(.any, to: syncFailed)]) { … }
/// ```
public struct GroupErrorPolicy: Sendable, ExpressibleByArrayLiteral {
    /// One rule.
    public struct Rule: Sendable {
        let match: ErrorMatcher
        let change: @Sendable (AOperationError) -> AOperationError?

        /// The error does not count. A member of which no error is left counts as succeeded.
        public static func ignore(_ match: ErrorMatcher) -> Rule { Rule(match: match) { _ in nil } }

        /// The error becomes another one, which has it among its causes.
        public static func map(
            _ match: ErrorMatcher, to change: @escaping @Sendable (AOperationError) -> AOperationError
        ) -> Rule {
            Rule(match: match) { original in
                var changed = change(original)
                if !changed.causes.contains(original) { changed.causes.insert(original, at: 0) }
                changed.causes = Array(changed.causes.prefix(20))
                return changed
            }
        }
    }

    /// In order of precedence.
    public var rules: [Rule]

    /// A policy.
    public init(_ rules: [Rule] = []) { self.rules = rules }

    /// A policy of these rules.
    public init(arrayLiteral elements: Rule...) { rules = elements }

    /// The errors of one member after the rules.
    public func applied(to errors: [AOperationError]) -> [AOperationError] {
        if rules.isEmpty { return errors }
        return errors.compactMap { error in
            guard let rule = rules.first(where: { $0.match(error) }) else { return error }
            return rule.change(error)
        }
    }
}
