/// The outcome of an operation, with its value when it succeeded.
public enum OperationOutcome<Value: Sendable>: Sendable {
    /// The operation produced a value.
    case succeeded(Value)
    /// The operation failed; there is at least one error.
    case failed([AOperationError])
    /// The operation was cancelled.
    case cancelled([AOperationError])
    /// The operation was not executed, which is not a failure.
    case skipped([AOperationError])

    /// The value; nil when the operation did not succeed.
    public var value: Value? {
        if case .succeeded(let value) = self { return value }
        return nil
    }

    /// The errors; empty when the operation succeeded.
    public var errors: [AOperationError] {
        switch self {
        case .succeeded: []
        case .failed(let errors), .cancelled(let errors), .skipped(let errors): errors
        }
    }

    /// The root cause: the first error's first cause, recursively; nil when the operation succeeded.
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

    /// The value.
    /// - Throws: the first error when the operation did not succeed.
    public func get() throws(AOperationError) -> Value {
        if case .succeeded(let value) = self { return value }
        throw errors.first ?? AOperationError(.unexpected, detail: "It ended without a value.")
    }

    /// The value, for an operation that ends as this one did.
    /// - Throws: an error that makes the operation fail, be cancelled or be skipped, with these errors.
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

extension OperationHandle {
    /// The outcome, as soon as the operation has ended.
    public var outcome: OperationOutcome<Output> {
        get async {
            let ending = await waitUntilFinished()
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
