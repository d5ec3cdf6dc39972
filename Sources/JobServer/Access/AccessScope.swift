/// What a token permits. Every route names the one that it needs.
enum AccessScope: String, Sendable, Hashable, CaseIterable {
    /// To look: jobs, results, errors, events, metrics.
    case read
    /// To act: submit, cancel, retry, erase.
    case write
    /// To decide what calls are made with: store and remove secrets and connections.
    case admin
}
