internal import HTTPMessage

// Short forms of the conditions, for `condition(_:)` and wherever one condition is wanted.

extension OperationCondition where Self == ReachabilityCondition {
    /// A connection to `host` can be opened: to port 443, or to the one in `host`. A URL names a scheme's port, too.
    ///
    /// ```swift
    /// upload.condition(.reachable("api.example.com"))
    /// ```
    /// - Parameters:
    ///   - host: a name or an address, with a port if it is not 443, or a URL.
    ///   - timeout: the limit of one probe. Default 3 s.
    ///   - patience: repeated probing; nil, the default, means one probe.
    public static func reachable(
        _ host: String, timeout: Duration = .seconds(3), patience: ReachabilityCondition.Patience? = nil
    ) -> Self {
        let url = host.contains("://") ? host : "https://\(host)"
        return ReachabilityCondition(
            HTTPReachabilityProbe(url: url, depth: .tcp, timeout: timeout), patience: patience)
    }
}

extension OperationCondition where Self == MutualExclusion {
    /// No other operation with this key is executed at the same time.
    public static func exclusive(_ key: String) -> Self { MutualExclusion(key) }
}

extension OperationCondition where Self == NoFailedDependencies {
    /// All dependencies succeeded.
    public static var noFailedDependencies: Self { NoFailedDependencies() }
}

extension OperationCondition where Self == NoCancelledDependencies {
    /// No dependency was cancelled.
    public static var noCancelledDependencies: Self { NoCancelledDependencies() }
}

extension OperationCondition where Self == TimeWindowCondition {
    /// `window` is open.
    /// - Parameters:
    ///   - window: the times at which the operation may be executed.
    ///   - whenClosed: the effect of a closed window; by default the operation waits.
    public static func during(
        _ window: TimeWindow, whenClosed: TimeWindowCondition.WhenClosed = .wait
    ) -> Self {
        TimeWindowCondition(window, whenClosed: whenClosed)
    }
}

extension OperationCondition where Self == ConfirmationCondition {
    /// A person has confirmed `question`.
    public static func confirmed(_ question: ConfirmationQuestion, at desk: any ConfirmationDesk) -> Self {
        ConfirmationCondition(question, at: desk)
    }
}

extension OperationCondition where Self == NegatedCondition {
    /// `condition` does not hold.
    public static func not(_ condition: some OperationCondition) -> Self { NegatedCondition(condition) }
}

extension OperationCondition where Self == IgnoredCondition {
    /// `condition` holds; otherwise the operation is skipped.
    public static func ignored(_ condition: some OperationCondition) -> Self { IgnoredCondition(condition) }
}

extension OperationCondition where Self == SilentCondition {
    /// `condition` holds already, without questions and waits.
    public static func silent(_ condition: some OperationCondition) -> Self { SilentCondition(condition) }
}

extension OperationCondition where Self == AllCondition {
    /// All of these hold.
    public static func all(_ first: any OperationCondition, _ others: any OperationCondition...) -> Self {
        AllCondition(first, others)
    }
}

extension OperationCondition where Self == AnyCondition {
    /// At least one of these holds.
    public static func any(_ first: any OperationCondition, _ others: any OperationCondition...) -> Self {
        AnyCondition(first, others)
    }
}
