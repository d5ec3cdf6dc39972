/// Whether a store can take writes, as far as it knows. Reads go on in every condition.
package enum StoreCondition: Sendable, Hashable {
    /// It takes writes.
    case sound
    /// There is no space: every write is refused with `.diskFull`. The store tries by itself until there is.
    case full(String)
    /// Its file cannot be written: every write is refused with `.unavailable`. The store tries by itself until it can.
    case failing(String)
    /// Something of what is stored is wrong, which does not heal. The store does what it still can; new work is better
    /// not begun.
    case damaged(String)

    /// Why new work is not taken; nil when it is.
    package var refusal: JobStoreError? {
        switch self {
        case .sound: nil
        case .full(let detail): JobStoreError(.diskFull, detail)
        case .failing(let detail): JobStoreError(.unavailable, detail)
        case .damaged(let detail): JobStoreError(.corrupt, detail)
        }
    }
}
