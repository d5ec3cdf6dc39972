extension ReceivingOperation {
    /// The operation with a known value.
    public func receiving(value: Input) -> OperationRecipe<Output> {
        OperationRecipe(name) { context in try await self.execute(receiving: value, in: context) }
    }

    /// The operation that waits for `source` and receives its value transformed by `transform`, whose error fails it
    /// with `reference.transform`.
    public func receiving<Source>(
        _ source: OperationHandle<Source>, transform: @escaping @Sendable (Source) throws -> Input
    ) -> OperationRecipe<Output> {
        OperationRecipe(name) { context in
            let value = try await source.value
            let input = try Self.transformed { try transform(value) }
            return try await self.execute(receiving: input, in: context)
        }.after(source)
    }

    /// The operation that waits for several others and receives all their values.
    public func receiving<First, Second, each Other>(
        _ first: OperationHandle<First>, _ second: OperationHandle<Second>,
        _ others: repeat OperationHandle<each Other>
    ) -> OperationRecipe<Output> where Input == (First, Second, repeat each Other) {
        var recipe = OperationRecipe(name) { context in
            let input = (try await first.value, try await second.value, repeat try await (each others).value)
            return try await self.execute(receiving: input, in: context)
        }.after(first).after(second)
        for other in repeat each others { recipe = recipe.after(other) }
        return recipe
    }

    /// The operation that waits for several others and receives their values combined by `combine`.
    public func receiving<First, Second, each Other>(
        _ first: OperationHandle<First>, _ second: OperationHandle<Second>,
        _ others: repeat OperationHandle<each Other>,
        combine: @escaping @Sendable (First, Second, repeat each Other) throws -> Input
    ) -> OperationRecipe<Output> {
        var recipe = OperationRecipe(name) { context in
            let one = try await first.value
            let two = try await second.value
            let rest = (repeat try await (each others).value)
            let input = try Self.transformed { try combine(one, two, repeat each rest) }
            return try await self.execute(receiving: input, in: context)
        }.after(first).after(second)
        for other in repeat each others { recipe = recipe.after(other) }
        return recipe
    }

    /// The operation that receives the value of a `source` that may produce none. Without one it fails with
    /// `reference.missing`, or receives the fallback.
    public func receiving(
        required source: OperationHandle<Input?>, default fallback: Input? = nil
    ) -> OperationRecipe<Output> {
        OperationRecipe(name) { context in
            guard let input = try await source.value ?? fallback else {
                throw AOperationError(
                    .referenceMissing, detail: "\(self.name) needs a value and \(source.name) produced none.")
            }
            return try await self.execute(receiving: input, in: context)
        }.after(source)
    }

    /// The operation that receives the value of `source` if it has the right type, and otherwise fails with
    /// `reference.type`.
    public func receiving<Source>(casting source: OperationHandle<Source>) -> OperationRecipe<Output> {
        OperationRecipe(name) { context in
            let value = try await source.value
            guard let input = value as? Input else {
                throw AOperationError(
                    .referenceType,
                    detail: "\(self.name) expects \(Input.self) and \(source.name) gave \(type(of: value)).")
            }
            return try await self.execute(receiving: input, in: context)
        }.after(source)
    }

    /// The operation that waits for `source` and receives its outcome, whatever it is.
    public func receivingOutcome<Source>(
        of source: OperationHandle<Source>
    ) -> OperationRecipe<Output> where Input == OperationOutcome<Source> {
        OperationRecipe(name) { context in
            try await self.execute(receiving: source.outcome, in: context)
        }.after(source, on: .finished)
    }

    private static func transformed<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            throw AOperationError(
                .referenceTransform, detail: "What was delivered could not be transformed:", because: error)
        }
    }
}
