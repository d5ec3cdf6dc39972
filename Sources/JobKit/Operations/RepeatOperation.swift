/// Runs a new operation repeatedly. Its output is that of the latest run.
///
/// ```swift
/// RepeatOperation("poll", times: 10, backoff: .fixed(.seconds(2))) { _, _ in FetchState().recipe }
///     .until { _, outcome in outcome.value?.isDone == true }
/// ```
///
/// A failed run does not end it unless `stopsAtFailure`; it fails when its latest run did. Without `times` and `until`
/// it goes on until its deadline or timeout, or until the closure returns nil.
public struct RepeatOperation<Output: Sendable>: AOperation {
    /// The display name.
    public let name: String
    private let times: Int?
    private let backoff: RetrySpec.Backoff
    private let stopsAtFailure: Bool
    private let make: @Sendable (Int, OperationOutcome<Output>?) -> OperationRecipe<Output>?
    private var isDone: (@Sendable (Int, OperationOutcome<Output>) -> Bool)?

    /// - Parameters:
    ///   - name: the display name.
    ///   - times: all runs together; nil is no limit.
    ///   - backoff: how long to wait between runs; the first value is the wait before run 2.
    ///   - stopsAtFailure: whether the first failed run is the last.
    ///   - make: the operation for a run, from 1, given how the one before ended; nil ends the repetition.
    public init(
        _ name: String = "Repeat", times: Int? = nil, backoff: RetrySpec.Backoff = .fixed(.zero),
        stopsAtFailure: Bool = false,
        make: @escaping @Sendable (Int, OperationOutcome<Output>?) -> OperationRecipe<Output>?
    ) {
        self.name = name
        self.times = times
        self.backoff = backoff
        self.stopsAtFailure = stopsAtFailure
        self.make = make
    }

    /// Ends the repetition with the first run that satisfies `isDone`. When no run does, it fails with
    /// `repeat.exhausted`, caused by the latest run's errors.
    public func until(_ isDone: @escaping @Sendable (Int, OperationOutcome<Output>) -> Bool)
        -> RepeatOperation
    {
        var copy = self
        copy.isDone = isDone
        return copy
    }

    /// Runs the operations.
    /// - Throws: the error of the last run, or `repeat.exhausted` when no run was the one waited for.
    public func execute(in context: OperationContext) async throws -> Output {
        var latest: OperationOutcome<Output>?
        var runs = 0
        var isOver = false
        try await RepeatLoop(times: times, wait: backoff).execute(in: context) { number in
            make(number, latest)
        } run: { number, operation in
            let outcome = try await context.outcome(of: operation)
            latest = outcome
            runs = number
            if let isDone, isDone(number, outcome) { isOver = true }
            if stopsAtFailure, case .failed = outcome { isOver = true }
            return !isOver
        }
        guard let latest else {
            let detail = "\(name) had nothing to run."
            throw OperationSkip(errors: [
                context.core.stamp(AOperationError(.dependencySkipped, detail: detail))
            ])
        }
        if isOver { return try latest.passedOn() }
        switch latest {
        case .succeeded where isDone != nil, .failed where isDone != nil:
            throw AOperationError(
                .repeatExhausted, detail: "\(name) made \(runs) runs, and none satisfied its condition.",
                causes: latest.errors)
        default: return try latest.passedOn()
        }
    }
}
