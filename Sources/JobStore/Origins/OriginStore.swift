package import JobKit

/// Keeps what servers have learned about origins: the pauses that they asked for, and open breakers.
package protocol OriginStore: Sendable {
    /// Keeps each until its end, in place of an earlier one of its origin. One that holds nothing back removes that.
    func keep(
        _ closings: [OriginClosing], at now: Timestamp,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)
}
