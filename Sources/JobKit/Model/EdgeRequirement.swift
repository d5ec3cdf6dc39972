/// When an edge between two operations lets the dependant run.
public enum EdgeRequirement: String, Sendable, Hashable, CaseIterable {
    /// Only when the other one succeeded (the default).
    case succeeded
    /// However the other one ended.
    case finished
    /// Only when the other one failed.
    case failed
}
