/// Creates the real operation at its execution, from the input, and ends like that one. Errors of the inner operation
/// keep their publisher; their path includes the wrapper.
///
/// ```swift
/// WrapperOperation<Token, Profile>("profile") { token, context in
///     token.isGuest ? nil : FetchProfile(token: token).recipe
/// }.receiving(login)
/// ```
public struct WrapperOperation<Input: Sendable, Output: Sendable>: ReceivingOperation {
    /// The display name.
    public let name: String
    private let make: @Sendable (Input, OperationContext) async throws -> OperationRecipe<Output>?

    /// - Parameters:
    ///   - name: the display name.
    ///   - make: the operation to run; nil is nothing to do, and the wrapper is skipped.
    public init(
        _ name: String = "Wrapper",
        make: @escaping @Sendable (Input, OperationContext) async throws -> OperationRecipe<Output>?
    ) {
        self.name = name
        self.make = make
    }

    /// Creates and runs the inner operation.
    /// - Throws: the error of the inner operation, or of its creation.
    public func execute(receiving input: Input, in context: OperationContext) async throws -> Output {
        guard let inner = try await make(input, context) else {
            let detail = "\(name) had nothing to run."
            throw OperationSkip(errors: [
                context.core.stamp(AOperationError(.dependencySkipped, detail: detail))
            ])
        }
        return try await context.run(inner)
    }
}

extension WrapperOperation: OperationConvertible where Input == Void {
    /// The wrapper without an input.
    public var recipe: OperationRecipe<Output> { receiving(value: ()) }
}

/// Runs another operation inside of itself, so that conditions, observers and limits can be put around those which
/// that one has.
public struct ComposedOperation<Output: Sendable>: AOperation {
    /// The display name.
    public let name: String
    private let inner: OperationRecipe<Output>

    /// Runs `inner`.
    public init(_ inner: some OperationConvertible<Output>, name: String = "Composed") {
        self.name = name
        self.inner = inner.recipe
    }

    /// Runs the inner operation.
    /// - Throws: the error of the inner operation.
    public func execute(in context: OperationContext) async throws -> Output { try await context.run(inner) }
}

/// An operation that is executed only when its gate is open; otherwise it is skipped, and its dependants are informed.
/// Gate and operation are one: there is no inner operation in an undecided state.
public struct GatedOperation<Output: Sendable>: OperationConvertible {
    /// The operation with its gate.
    public let recipe: OperationRecipe<Output>

    /// - Parameters:
    ///   - inner: the operation behind the gate.
    ///   - isOpen: evaluated after all dependencies finished, before the conditions. An error fails the operation.
    public init(
        _ inner: some OperationConvertible<Output>, isOpen: @escaping @Sendable () async throws -> Bool
    ) {
        var recipe = inner.recipe
        let outer = recipe.settings.gate
        recipe.settings.gate = {
            if let outer {
                let verdict = await outer()
                guard case .open = verdict else { return verdict }
            }
            do {
                if try await isOpen() { return .open }
                return .closed(AOperationError(.whenFalse, detail: "The gate is closed.", stage: .condition))
            } catch let error as AOperationError {
                return .broken(error)
            } catch {
                return .broken(.brokenCondition("The gate could not be asked:", because: error))
            }
        }
        self.recipe = recipe
    }
}
