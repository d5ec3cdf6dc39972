public import HTTPMessage

/// An operation with its conditions, observers, dependencies, retries and limits.
///
/// Recipes are values. Each modifier returns a changed copy, so that a description reads from top to bottom:
///
/// ```swift
/// queue.add(
///     FetchToken(password: "…")
///         .condition(MutualExclusion("token"))
///         .retry(attempts: 3, backoff: .fixed(.seconds(1)))
///         .timeout(.seconds(5)))
/// ```
public struct OperationRecipe<Output: Sendable>: OperationConvertible {
    package var name: String
    /// The last part of its path, where that is not its name.
    package var step: String?
    package var settings = OperationSettings()
    package let body: @Sendable (OperationContext) async throws -> Output
    /// The end of the wait with which the body begins, unless the context says that it is over; nil without a wait.
    var lull: (@Sendable (OperationContext) -> WaitEnd)?
    /// The coding of the output in a journal; nil outside durable trees.
    package var persistence: Persistence?

    package struct Persistence: Sendable {
        /// Throws when there is no room for the output.
        let admit: @Sendable (Output) throws -> Void
        let capture: @Sendable (Output) -> OperationResult
        let restore: @Sendable (OperationResult) -> Output?

        package init(
            admit: @escaping @Sendable (Output) throws -> Void,
            capture: @escaping @Sendable (Output) -> OperationResult,
            restore: @escaping @Sendable (OperationResult) -> Output?
        ) {
            self.admit = admit
            self.capture = capture
            self.restore = restore
        }
    }

    /// Work under a name.
    public init(_ name: String, body: @escaping @Sendable (OperationContext) async throws -> Output) {
        self.name = name
        self.body = body
    }

    /// Itself.
    public var recipe: OperationRecipe<Output> { self }
}

extension OperationConvertible {
    private func changed(_ change: (inout OperationRecipe<Output>) -> Void) -> OperationRecipe<Output> {
        var copy = recipe
        change(&copy)
        return copy
    }

    /// Changes the name.
    public func named(_ name: String) -> OperationRecipe<Output> { changed { $0.name = name } }

    /// Runs only when `condition` holds, too.
    public func condition(_ condition: any OperationCondition) -> OperationRecipe<Output> {
        changed { $0.settings.conditions.append(condition) }
    }

    /// Runs only when `condition` holds, too: a condition, or one of the short forms such as `.exclusive("token")`.
    public func condition(_ condition: some OperationCondition) -> OperationRecipe<Output> {
        changed { $0.settings.conditions.append(condition) }
    }

    /// Adds `observer`.
    public func observer(_ observer: any OperationObserver) -> OperationRecipe<Output> {
        changed { $0.settings.observers.append(observer) }
    }

    /// Runs after `other` has finished, and only if `on` permits it; otherwise it ends as skipped with the reason, or
    /// as cancelled when `other` was.
    public func after<Other>(
        _ other: OperationHandle<Other>, on requirement: EdgeRequirement = .succeeded
    ) -> OperationRecipe<Output> {
        after([other], on: requirement)
    }

    /// Runs after all of `others` have finished, and only if `on` permits it for each of them.
    public func after<Other>(
        _ others: [OperationHandle<Other>], on requirement: EdgeRequirement = .succeeded
    ) -> OperationRecipe<Output> {
        changed { recipe in
            for other in others {
                recipe.settings.edges.append(.init(core: other.core, requirement: .named(requirement)))
            }
        }
    }

    /// Runs after several others, of different types, have finished, and only if `on` permits it for each of them.
    public func after<First, Second, each Other>(
        _ first: OperationHandle<First>, _ second: OperationHandle<Second>,
        _ others: repeat OperationHandle<each Other>, on requirement: EdgeRequirement = .succeeded
    ) -> OperationRecipe<Output> {
        var recipe = after(first, on: requirement).after(second, on: requirement)
        for other in repeat each others { recipe = recipe.after(other, on: requirement) }
        return recipe
    }

    /// Limits the execution to this time, all attempts included. Then it is stopped and fails with `timeout.total`. Of
    /// several timeouts the shortest counts.
    /// - Parameter duration: above zero. An operation with another one fails with `timeout.total` when it is added.
    public func timeout(_ duration: Duration) -> OperationRecipe<Output> {
        changed { $0.settings.timeout = min($0.settings.timeout ?? duration, duration) }
    }

    /// Limits the time since its addition, waiting included. Then it is stopped and fails with `timeout.finish_by`. Of
    /// several deadlines the earliest counts.
    public func deadline(after duration: Duration) -> OperationRecipe<Output> {
        changed { $0.settings.add(.afterSubmission(duration)) }
    }

    /// Must have ended by this date. A past date ends it at once with `timeout.finish_by`. Of several deadlines the
    /// earliest counts.
    public func deadline(_ date: Timestamp) -> OperationRecipe<Output> {
        changed { $0.settings.add(.at(date)) }
    }

    /// The time that stopped work has to finish before it is abandoned. Default 5 s.
    public func grace(_ duration: Duration) -> OperationRecipe<Output> {
        changed { $0.settings.grace = duration }
    }

    /// 0…9: a higher one is executed first when capacity is short. Default 5.
    public func priority(_ priority: Int) -> OperationRecipe<Output> {
        changed { $0.settings.priority = min(9, max(0, priority)) }
    }

    /// Tries again after a failure of its execution, `attempts` times in all.
    /// - Parameters:
    ///   - attempts: all attempts together, at least 1.
    ///   - backoff: the first value is the wait before attempt 2.
    ///   - jitter: how the waits are spread; default none.
    ///   - isWorthwhile: whether this error is worth another attempt; by default each one but those that say
    ///     `retryable: false`, such as the failure of a call that would only fail again. Cancellation and failed
    ///     conditions never are.
    public func retry(
        attempts: Int, backoff: RetrySpec.Backoff = .fixed(.zero), jitter: RetrySpec.Jitter = .none,
        when isWorthwhile: (@Sendable (AOperationError) -> Bool)? = nil
    ) -> OperationRecipe<Output> {
        let spec = RetrySpec(attemptsMax: attempts, backoff: backoff, jitter: jitter)
        return changed { recipe in
            recipe.settings.attemptsMax = max(1, attempts)
            recipe.settings.errorsMayPass = true
            recipe.settings.decideRetry = { error, situation in
                guard isWorthwhile?(error) ?? !error.refusesRetry else { return .stop("policy") }
                return .retry(
                    after: spec.delay(
                        beforeAttempt: situation.attempts + 1, spread: situation.spread))
            }
        }
    }

    /// Retries by the policy of job specs: the retryable errors, the backoff, and the limits. For work that makes
    /// calls. Errors of its own are retried unless they say `retryable: false`.
    /// - Parameters:
    ///   - rule: the limits of attempts and time, the backoff, and the retryable errors.
    ///   - method: the method of the call; POST and PATCH are repeated only when that is safe.
    public func retry(_ rule: RetrySpec, method: HTTPMethod = .get) -> OperationRecipe<Output> {
        changed { recipe in
            recipe.settings.attemptsMax = max(1, rule.attemptsMax)
            recipe.settings.errorsMayPass = true
            recipe.settings.decideRetry = { error, situation in
                RetryDecision.decide(
                    error: error, method: method, spec: rule, situation: situation, hasIdempotencyKey: false)
            }
        }
    }
}
