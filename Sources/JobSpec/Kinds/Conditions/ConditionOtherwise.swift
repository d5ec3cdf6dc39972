/// The effect of a condition that does not hold.
enum ConditionOtherwise: String, CaseIterable {
    /// The operation fails.
    case fail
    /// The operation is skipped.
    case skip
    /// The operation waits until the condition holds.
    case wait
}
