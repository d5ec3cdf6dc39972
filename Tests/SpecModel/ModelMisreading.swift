/// A wrong reading of the documents, which the engine once had or might have: a comparison with a model that reads so
/// must find a difference.
package enum ModelMisreading: String, CaseIterable, Sendable {
    /// In order, one that may fail lets the next one run although it was skipped because of an earlier failure.
    case orderForgets = "order-forgets"
    /// `:retry` ends anew what failed or was skipped inside of a success.
    case retryReachesInside = "retry-reaches-inside"
    /// The plan has no edge of the order where another edge leads to the same member.
    case planHidesOrder = "plan-hides-order"
    /// The path of the root is empty.
    case rootHasNoPath = "root-has-no-path"
    /// Nothing is known of what is inside of an operation that was not run.
    case unrunHasNoState = "unrun-has-no-state"
    /// A condition that does not hold fails its operation, whatever its `otherwise` says.
    case otherwiseIsNotHeard = "otherwise-is-not-heard"
    /// A choice or repetition succeeds although what is inside of it failed, when that says `on_failure` `continue`.
    case continueCoversInner = "continue-covers-inner"
    /// A retryable status that is permitted is not retried when something else is unexpected.
    case permittedIsFinal = "permitted-is-final"
    /// A rescue comes before the default of a reference.
    case rescueBeforeDefault = "rescue-before-default"
    /// A success of an earlier try counts for its group only when all that it follows has ended again.
    case keptCountsLate = "kept-counts-late"
    /// Branches behind the chosen one are skipped as those before it are.
    case choiceHasOneReason = "choice-has-one-reason"
    /// A failure that does not count is a success.
    case excusedSucceeds = "excused-succeeds"
}
