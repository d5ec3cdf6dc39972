/// The first errors of members or runs, and the number of those that are left out.
package struct KeptErrors: Sendable {
    private var list: [AOperationError] = []
    private var omitted = 0

    package init() {}

    /// Whether there were none.
    package var isEmpty: Bool { list.isEmpty }

    /// The errors that are kept.
    package var first: [AOperationError] { list }

    /// Adds errors, as many as there is room for.
    package mutating func add(_ errors: [AOperationError]) {
        let kept = errors.prefix(max(0, GroupRules.errorsMax - list.count))
        list += kept
        omitted += errors.count - kept.count
    }

    /// The errors, and behind them one that counts those left out, if any.
    /// - Parameter what: whose errors they are: `members`.
    package func all(of what: String) -> [AOperationError] {
        guard omitted > 0 else { return list }
        let rest = AOperationError(
            .groupErrorsOmitted, detail: "\(omitted) further errors of \(what) are left out.")
        return list + [rest]
    }
}
