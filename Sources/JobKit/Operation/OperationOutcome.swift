/// How an operation ended, with its value when it succeeded.
public enum OperationOutcome<Value: Sendable>: Sendable {
    /// It produced a value.
    case succeeded(Value)
    /// It failed; there is at least one error.
    case failed([AOperationError])
    /// It was stopped on request.
    case cancelled([AOperationError])
    /// It was not executed, and that is no failure.
    case skipped([AOperationError])

    /// What it produced; nil when it did not succeed.
    public var value: Value? {
        if case .succeeded(let value) = self { return value }
        return nil
    }

    /// Why it did not succeed; empty when it did.
    public var errors: [AOperationError] {
        switch self {
        case .succeeded: []
        case .failed(let errors), .cancelled(let errors), .skipped(let errors): errors
        }
    }

    /// The error from which everything came: the first one's first cause, and so on down; nil when it succeeded.
    public var origin: AOperationError? {
        guard var error = errors.first else { return nil }
        while let cause = error.causes.first { error = cause }
        return error
    }

    /// `succeeded`, `failed`, `cancelled` or `skipped`.
    public var state: JobState {
        switch self {
        case .succeeded: .succeeded
        case .failed: .failed
        case .cancelled: .cancelled
        case .skipped: .skipped
        }
    }

    /// What it produced.
    /// - Throws: the first of its errors when it did not succeed.
    public func get() throws(AOperationError) -> Value {
        if case .succeeded(let value) = self { return value }
        throw errors.first ?? AOperationError(.unexpected, detail: "It ended without a value.")
    }

    /// What it produced, for an operation that ends as this one did.
    /// - Throws: what makes the operation fail, be cancelled or be skipped, with these errors.
    public func passedOn() throws -> Value {
        switch self {
        case .succeeded(let value): return value
        case .failed(let errors) where errors.count == 1: throw errors[0]
        case .failed(let errors): throw OperationErrors(list: errors)
        case .cancelled(let errors): throw OperationSkip(errors: errors, state: .cancelled)
        case .skipped(let errors): throw OperationSkip(errors: errors)
        }
    }
}

extension AOperationHandle {
    /// How it ended, as soon as it has.
    public var outcome: OperationOutcome<Output> {
        get async {
            let ending = await finished()
            switch ending.state {
            case .succeeded:
                if let value = box.value { return .succeeded(value) }
                let error = AOperationError(.unexpected, detail: "\(name) ended without a value.")
                return .failed([core.stamp(error)])
            case .cancelled: return .cancelled(ending.errors)
            case .skipped: return .skipped(ending.errors)
            default: return .failed(ending.errors)
            }
        }
    }
}
