/// Takes its time and does nothing. Holds no thread; where there is a journal the wait survives a restart.
public struct DelayOperation: AOperation {
    /// Until when.
    public enum Until: Sendable, Hashable {
        /// This long after its execution began; at once when it is not above zero.
        case after(Duration)
        /// This long after the root of its tree was submitted.
        case afterSubmission(Duration)
        /// This date; at once when it is past.
        case date(Timestamp)
    }

    /// What it is called.
    public let name: String
    private let until: Until

    /// Waits.
    public init(_ until: Until, name: String = "Delay") {
        self.until = until
        self.name = name
    }

    /// Waits on the environment's clock.
    public func execute(in context: AOperationContext) async throws {
        let end =
            switch until {
            case .after(let duration): context.startedAt.advanced(by: duration)
            case .afterSubmission(let duration): context.submittedAt.advanced(by: duration)
            case .date(let date): date
            }
        try await context.wait(until: end)
    }
}
