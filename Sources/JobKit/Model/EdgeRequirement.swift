/// The outcomes of an operation that let its dependant run.
public enum EdgeRequirement: String, Sendable, Hashable, CaseIterable {
    /// Only when the other one succeeded (the default).
    case succeeded
    /// Any outcome.
    case finished
    /// Only when the other one failed.
    case failed
}
