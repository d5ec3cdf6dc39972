/// Requires that a time window is open. Waits until it opens, durably, by default.
public struct TimeWindowCondition: OperationCondition {
    /// The effect of a closed window.
    public enum WhenClosed: String, Sendable, Hashable, CaseIterable {
        /// The operation waits until the window opens.
        case wait
        /// The operation is skipped.
        case skip
        /// The operation fails.
        case fail
    }

    /// The window.
    public let window: TimeWindow
    /// The effect of a closed window.
    public let whenClosed: WhenClosed

    /// Requires that `window` is open.
    public init(_ window: TimeWindow, whenClosed: WhenClosed = .wait) {
        self.window = window
        self.whenClosed = whenClosed
    }

    /// `time_window`
    public var name: String { "time_window" }

    /// Waits for the window.
    public func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        while true {
            switch window.state(at: context.environment.clock.now) {
            case .open: return .satisfied
            case .opens(let date):
                guard whenClosed == .wait, !context.isSilent else {
                    return closed("The time window is closed and opens at \(date).")
                }
                do { try await context.wait(until: date, reason: .timeWindow) } catch {
                    return closed("The wait for the time window was stopped.")
                }
            case .closedForLong: return closed("The time window does not open within 400 days.")
            case .unknownZone:
                return .failed(
                    AOperationError(
                        .conditionBroken, detail: "This machine does not know the time zone \(window.zone).",
                        stage: .condition))
            }
        }
    }

    private func closed(_ detail: String) -> ConditionVerdict {
        let error = AOperationError(.conditionWindowClosed, detail: detail, stage: .condition)
        return whenClosed == .skip ? .ignored(error) : .failed(error)
    }
}
