package import JobKit

/// Reads of what is kept about origins.
package protocol OriginReads: Sendable {
    /// All that are kept, by origin; some of them may be over.
    func closings() throws(JobStoreError) -> [OriginClosing]
}
