/// Opens readers.
package protocol StoreReading: Sendable {
    /// A reader for one thread. Each loop has its own; using one from several threads is safe, not fast.
    /// - Throws: `.unavailable`.
    func makeReader() throws(JobStoreError) -> any JobReader
}
