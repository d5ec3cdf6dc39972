internal import JobSpec

/// Reads what is stored.
package protocol StoreReading: Sendable {
    /// Reads with a shared reader, on a thread that suits the engine: on the caller's when reads are local.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any JobReader) throws(JobStoreError) -> Value
    ) async throws(JobStoreError) -> Value

    /// A reader for one thread, which it blocks: for threads that may wait, and for loops as long as reads are local.
    /// Each loop has its own; using one from several threads is safe, not fast.
    /// - Throws: `.unavailable`.
    func makeReader() throws(JobStoreError) -> any JobReader
}
