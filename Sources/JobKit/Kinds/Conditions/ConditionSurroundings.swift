/// What conditions of a spec are made with besides what the spec says.
struct ConditionSurroundings: Sendable {
    /// What expressions look at.
    let references: ReferenceReader
    /// What people are asked about.
    let subject: ApprovalCondition.Subject
    /// Where named permissions are kept.
    let grants: (any GrantBook)?
}
