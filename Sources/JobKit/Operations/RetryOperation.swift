/// A failed run of a `RetryOperation`, for the decision about another one.
public struct FailedRun: Sendable {
    /// The number of runs, this one included.
    public let runs: Int
    /// Its errors.
    public let errors: [AOperationError]
}

/// Runs new operations until one succeeds. For work that has to be created anew for every attempt, or that needs a
/// preparation before the next one; `retry(attempts:)` suffices for the rest.
///
/// ```swift
/// RetryOperation("sync", attempts: 3, backoff: .fixed(.seconds(1))) { run, _ in Sync(token: store.token).recipe }
///     .before { failed in failed.errors.first?.upstream?.status == 401 ? RefreshToken().recipe : nil }
/// ```
///
/// Only failures are followed by another run: a cancelled or skipped run ends it likewise. Failed conditions are final
/// by default.
public struct RetryOperation<Output: Sendable>: AOperation {
    /// The display name.
    public let name: String
    private let attempts: Int
    private let backoff: RetrySpec.Backoff
    private let retriesConditions: Bool
    private let make: @Sendable (Int, [AOperationError]) -> OperationRecipe<Output>?
    private var decide: (@Sendable (FailedRun) -> RetryVerdict)?
    private var helper: (@Sendable (FailedRun) -> OperationRecipe<Void>?)?

    /// - Parameters:
    ///   - name: the display name.
    ///   - attempts: all runs together, at least 1.
    ///   - backoff: how long to wait between runs; the first value is the wait before run 2.
    ///   - retriesConditions: whether a failed condition is followed by another run, too.
    ///   - make: the operation for a run, from 1, given the errors of the one before; nil gives up.
    public init(
        _ name: String = "Retry", attempts: Int, backoff: RetrySpec.Backoff = .fixed(.zero),
        retriesConditions: Bool = false,
        make: @escaping @Sendable (Int, [AOperationError]) -> OperationRecipe<Output>?
    ) {
        self.name = name
        self.attempts = max(1, attempts)
        self.backoff = backoff
        self.retriesConditions = retriesConditions
        self.make = make
    }

    /// Sets the decision about another run, and its time.
    public func deciding(_ decide: @escaping @Sendable (FailedRun) -> RetryVerdict) -> RetryOperation {
        var copy = self
        copy.decide = decide
        return copy
    }

    /// Runs a helper operation before the next run. When the helper does not succeed there is no further run.
    public func before(_ helper: @escaping @Sendable (FailedRun) -> OperationRecipe<Void>?) -> RetryOperation
    {
        var copy = self
        copy.helper = helper
        return copy
    }

    /// Runs the operations.
    /// - Throws: the errors of the last run; the first says in `retryStoppedBy` why it was the last.
    public func execute(in context: OperationContext) async throws -> Output {
        var errors: [AOperationError] = []
        for run in 1...attempts {
            guard let next = make(run, errors) else { throw Self.gaveUp(errors, name, "policy") }
            let outcome = try await context.outcome(of: next)
            guard case .failed(let found) = outcome else { return try outcome.passedOn() }
            errors = found
            let failed = FailedRun(runs: run, errors: found)
            if run == attempts { throw Self.gaveUp(found, name, "attempts") }
            switch verdict(on: failed) {
            case .stop(let reason): throw Self.gaveUp(found, name, reason)
            case .retry(let length):
                try await help(after: failed, context)
                if length > .zero { try await context.wait(for: length) }
            }
        }
        throw Self.gaveUp(errors, name, "attempts")
    }

    private func verdict(on failed: FailedRun) -> RetryVerdict {
        if failed.errors.first?.stage == .condition && !retriesConditions { return .stop("policy") }
        return decide?(failed) ?? .retry(after: backoff.wait(beforeAttempt: failed.runs + 1))
    }

    private func help(after failed: FailedRun, _ context: OperationContext) async throws {
        guard let helper = helper?(failed) else { return }
        let outcome = try await context.outcome(of: helper)
        if case .succeeded = outcome { return }
        var errors = failed.errors
        if !errors.isEmpty { errors[0].causes = Array((outcome.errors + errors[0].causes).prefix(20)) }
        throw Self.gaveUp(errors, name, "policy")
    }

    private static func gaveUp(_ errors: [AOperationError], _ name: String, _ reason: String)
        -> OperationErrors
    {
        var errors = errors
        if errors.isEmpty {
            errors = [AOperationError(.unexpected, detail: "\(name) had nothing to run.")]
        } else {
            errors[0].retryStoppedBy = reason
        }
        return OperationErrors(list: errors)
    }
}
