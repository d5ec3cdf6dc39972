/// Work that ends by a callback: the closure begins it and keeps the completion, which is finished later, once, from
/// any thread.
///
/// ```swift
/// ContinuationOperation<Data>("load") { context, completion in
///     let request = client.load(url) { completion.finish($0) }
///     completion.onCancel { request.cancel() }
/// }
/// ```
///
/// Cancelled work has the grace period to finish, and is then abandoned.
public struct ContinuationOperation<Output: Sendable>: AOperation {
    /// The display name.
    public let name: String
    private let body: @Sendable (OperationContext, OperationCompletion<Output>) -> Void

    /// An operation that begins its work with `body`.
    public init(
        _ name: String = "Continuation",
        body: @escaping @Sendable (OperationContext, OperationCompletion<Output>) -> Void
    ) {
        self.name = name
        self.body = body
    }

    /// Begins the work and waits for its end.
    /// - Throws: the error with which the work was completed.
    public func execute(in context: OperationContext) async throws -> Output {
        try await OperationCompletion.run { body(context, $0) }
    }
}
