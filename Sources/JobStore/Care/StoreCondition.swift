/// Whether a store can take writes, as far as it knows. Reads continue in every condition.
package enum StoreCondition: Sendable, Hashable {
    /// The store takes writes.
    case sound
    /// The disk is nearly full: new jobs are refused with `.diskFull`, all other writes are taken.
    case low(String)
    /// The disk is full: every write is refused with `.diskFull`. The store retries by itself.
    case full(String)
    /// The file cannot be written: every write is refused with `.unavailable`. The store retries by itself.
    case failing(String)
    /// Stored data is damaged, which does not heal. The store does what it still can; new work should be refused.
    case damaged(String)

    /// The reason for refusing new work; nil when it is accepted.
    package var refusal: JobStoreError? {
        switch self {
        case .sound: nil
        case .low(let detail), .full(let detail): JobStoreError(.diskFull, detail)
        case .failing(let detail): JobStoreError(.unavailable, detail)
        case .damaged(let detail): JobStoreError(.corrupt, detail)
        }
    }
}
