/// Reads what is stored.
package protocol StoreReading: Sendable {
    /// Reads with a reader that others share, on a thread that suits the engine: an engine whose reads are local does so
    /// on the caller's.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any JobReader) throws(JobStoreError) -> Value
    ) async throws(JobStoreError) -> Value

    /// A reader for one thread, which it blocks: for threads that may wait, and for loops as long as reads are local.
    /// Each loop has its own; using one from several threads is safe, not fast.
    /// - Throws: `.unavailable`.
    func makeReader() throws(JobStoreError) -> any JobReader
}
