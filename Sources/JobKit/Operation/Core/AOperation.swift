/// A unit of work: a value that can be run.
///
/// ```swift
/// struct FetchToken: AOperation {
///     let password: String
///     func execute(in context: OperationContext) async throws -> Token { … }
/// }
/// ```
///
/// An operation is stopped by the cancellation of its task; work that does not stop within the grace period is
/// abandoned and its late outcome is discarded. Throw an `AOperationError` for an exact error; any other error is
/// wrapped.
public protocol AOperation<Output>: OperationConvertible {
    /// The type of its result.
    associatedtype Output

    /// The name in errors, logs and paths. Default: the name of the type.
    var name: String { get }

    /// Does the work. Called once per attempt.
    /// - Throws: any error, which fails the attempt; see `AOperationError`.
    func execute(in context: OperationContext) async throws -> Output
}

extension AOperation {
    /// The name of the type.
    public var name: String { String(describing: Self.self) }

    /// The operation without conditions, observers or limits.
    public var recipe: OperationRecipe<Output> {
        OperationRecipe(name) { context in try await self.execute(in: context) }
    }
}

/// Work that needs the outcome of another operation, given by `receiving(_:)`.
public protocol ReceivingOperation<Input, Output>: Sendable {
    /// The type of its input.
    associatedtype Input: Sendable
    /// The type of its result.
    associatedtype Output: Sendable

    /// The display name. Default: the name of the type.
    var name: String { get }

    /// Does the work with the received input.
    /// - Throws: any error, which fails the attempt; see `AOperationError`.
    func execute(receiving input: Input, in context: OperationContext) async throws -> Output
}

extension ReceivingOperation {
    /// The name of the type.
    public var name: String { String(describing: Self.self) }

    /// The operation that waits for `source` and is executed with its value. When `source` does not succeed this one
    /// ends as `source` did: skipped or cancelled, with the reason.
    public func receiving(_ source: OperationHandle<Input>) -> OperationRecipe<Output> {
        OperationRecipe(name) { context in
            try await self.execute(receiving: source.value, in: context)
        }.after(source)
    }
}

/// Anything that can be added to a queue.
public protocol OperationConvertible<Output>: Sendable {
    /// The type of its result.
    associatedtype Output: Sendable

    /// The work with all that applies to it.
    var recipe: OperationRecipe<Output> { get }
}

/// A closure as an operation. It is not called `BlockOperation`, as that would be Foundation's where that is imported.
public struct ClosureOperation<Output: Sendable>: AOperation {
    /// The display name.
    public let name: String
    private let body: @Sendable (OperationContext) async throws -> Output

    /// An operation that runs `body`.
    public init(
        _ name: String = "Closure", body: @escaping @Sendable (OperationContext) async throws -> Output
    ) {
        self.name = name
        self.body = body
    }

    /// Runs the closure.
    /// - Throws: the error of the closure.
    public func execute(in context: OperationContext) async throws -> Output { try await body(context) }
}
