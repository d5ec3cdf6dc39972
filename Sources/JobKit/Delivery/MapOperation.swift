/// Transforms the outcome of another operation. It receives failures, too, and may turn them into a value.
///
/// ```swift
/// MapOperation<Price, Text> { outcome in outcome.value.map(Text.init) ?? "unknown" }.receivingOutcome(of: price)
/// ```
public struct MapOperation<Source: Sendable, Output: Sendable>: ReceivingOperation {
    /// The outcome of the other operation.
    public typealias Input = OperationOutcome<Source>

    /// The name of the operation.
    public let name: String
    private let transform: @Sendable (OperationOutcome<Source>) async throws -> Output

    /// - Parameters:
    ///   - name: the display name.
    ///   - transform: makes the value. To end as the other operation did, throw with `passedOn()`.
    public init(
        _ name: String = "Map",
        transform: @escaping @Sendable (OperationOutcome<Source>) async throws -> Output
    ) {
        self.name = name
        self.transform = transform
    }

    /// Transforms.
    /// - Throws: the error of the transformation.
    public func execute(
        receiving input: OperationOutcome<Source>, in context: OperationContext
    ) async throws -> Output {
        try await transform(input)
    }
}

extension OperationHandle {
    /// An operation that transforms this one's value.
    public func map<Other: Sendable>(
        _ name: String = "Map", _ transform: @escaping @Sendable (Output) async throws -> Other
    ) -> OperationRecipe<Other> {
        ClosureOperation(name) { _ in try await transform(self.value) }.after(self)
    }

    /// An operation with this one's value, or with the result of `value` for its errors when it failed.
    public func rescued(
        _ name: String = "Rescue", by value: @escaping @Sendable ([AOperationError]) async throws -> Output
    ) -> OperationRecipe<Output> {
        MapOperation<Output, Output>(name) { outcome in
            if case .failed(let errors) = outcome { return try await value(errors) }
            return try outcome.passedOn()
        }.receivingOutcome(of: self)
    }

    /// An operation with the elements of this one's value that satisfy `isIncluded`.
    public func filter<Element: Sendable>(
        _ name: String = "Filter", _ isIncluded: @escaping @Sendable (Element) throws -> Bool
    ) -> OperationRecipe<[Element]> where Output == [Element] {
        map(name) { try $0.filter(isIncluded) }
    }

    /// An operation that folds the elements of this one's value, from first to last.
    public func reduce<Element: Sendable, Total: Sendable>(
        _ name: String = "Reduce", into start: Total,
        _ combine: @escaping @Sendable (inout Total, Element) throws -> Void
    ) -> OperationRecipe<Total> where Output == [Element] {
        map(name) { try $0.reduce(into: start, combine) }
    }

    /// An operation with the concatenated results of `transform` for the elements of this one's value.
    public func flatMap<Element: Sendable, Other: Sendable>(
        _ name: String = "FlatMap", _ transform: @escaping @Sendable (Element) throws -> [Other]
    ) -> OperationRecipe<[Other]> where Output == [Element] {
        map(name) { try $0.flatMap(transform) }
    }
}
