/// The handling of an element without a value because its operation did not succeed.
public enum MissingElement: String, Sendable, Hashable, CaseIterable {
    /// The whole fails with `reference.missing`.
    case fail
    /// The element is nil.
    case null
    /// The element is omitted.
    case drop
}

/// The values of several operations, in the order of the operations.
public struct Gathered<Value: Sendable>: Sendable {
    /// One per operation; nil without a value. With `drop` there are no nil elements.
    public let elements: [Value?]
    /// The indices of the operations that did not succeed.
    public let missing: [Int]

    /// All existing values.
    public var values: [Value] { elements.compactMap { $0 } }

    /// Gathers outcomes.
    /// - Throws: `reference.missing`, with the errors as causes, when one did not succeed and the policy is to fail.
    init(_ outcomes: [OperationOutcome<Value>], _ policy: MissingElement) throws(AOperationError) {
        missing = outcomes.indices.filter { outcomes[$0].value == nil }
        if policy == .fail, !missing.isEmpty {
            let places = missing.prefix(20).map(String.init).joined(separator: ", ")
            let more = missing.count > 20 ? " and more" : ""
            let causes = missing.compactMap { outcomes[$0].errors.first }
            // The others may have been cancelled because one failed.
            let first = causes.first { !$0.isCancelled } ?? causes.first
            throw AOperationError(
                .referenceMissing,
                detail: "\(missing.count) of \(outcomes.count) values are missing, at \(places)\(more)."
                    + (first.map { " \($0.detail)" } ?? ""),
                causes: Array(causes.prefix(20)))
        }
        let all = outcomes.map(\.value)
        elements = policy == .drop ? all.filter { $0 != nil } : all
    }
}

/// Waits for several operations of one kind and collects their values.
public struct GatherOperation<Value: Sendable>: OperationConvertible {
    /// The recipe of the gathering.
    public let recipe: OperationRecipe<Gathered<Value>>

    /// - Parameters:
    ///   - sources: the operations whose values are collected.
    ///   - missing: the handling of operations that did not succeed.
    ///   - name: the display name.
    public init(
        _ sources: [OperationHandle<Value>], missing: MissingElement = .fail, name: String = "Gather"
    ) {
        var recipe = OperationRecipe(name) { _ in
            var outcomes: [OperationOutcome<Value>] = []
            for source in sources { outcomes.append(await source.outcome) }
            return try Gathered(outcomes, missing)
        }
        recipe.settings.edges = sources.map { .init(core: $0.core, requirement: .named(.finished)) }
        self.recipe = recipe
    }
}

/// Runs one operation per element of a list and gathers their values, in the order of the list.
public struct BatchOperation<Element: Sendable, Value: Sendable>: ReceivingOperation {
    /// The list.
    public typealias Input = [Element]

    /// The name of the operation.
    public let name: String
    private let concurrency: Int?
    private let missing: MissingElement
    private let make: @Sendable (Element, Int) -> OperationRecipe<Value>

    /// - Parameters:
    ///   - name: the display name.
    ///   - concurrency: the maximum number of concurrent operations; nil means no limit.
    ///   - missing: the handling of operations that do not succeed. With `fail` the others are cancelled.
    ///   - make: makes the operation for an element and its index.
    public init(
        _ name: String = "Batch", concurrency: Int? = nil, missing: MissingElement = .fail,
        make: @escaping @Sendable (Element, Int) -> OperationRecipe<Value>
    ) {
        self.name = name
        self.concurrency = concurrency
        self.missing = missing
        self.make = make
    }

    /// Runs them all.
    /// - Throws: `reference.missing`, with the errors of the elements as causes, unless failures are tolerated.
    public func execute(receiving input: [Element], in context: OperationContext) async throws -> Gathered<
        Value
    > {
        let scope = context.core.openScope(
            GroupRules(concurrency: concurrency, failsFast: missing == .fail))
        var handles: [OperationHandle<Value>] = []
        for (index, element) in input.enumerated() {
            var recipe = make(element, index)
            recipe.step = "\(index)"
            handles.append(scope.add(recipe))
        }
        _ = await withTaskCancellationHandler {
            await scope.allFinished()
        } onCancel: {
            scope.cancelMembers()
        }
        if context.core.isStopRequested { throw CancellationError() }
        var outcomes: [OperationOutcome<Value>] = []
        for handle in handles { outcomes.append(await handle.outcome) }
        return try Gathered(outcomes, missing)
    }
}
