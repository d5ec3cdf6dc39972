internal import JobKit

/// The context in which the conditions of a spec are made.
struct ConditionSurroundings: Sendable {
    /// The results and facts that expressions refer to.
    let references: ReferenceReader
    /// The subject of approvals.
    let subject: ApprovalCondition.Subject
    /// The book of named grants.
    let grants: (any GrantBook)?
}
