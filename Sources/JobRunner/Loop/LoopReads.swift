internal import JobStore

/// Reads for the engine's own work, which must not block its loop: with the loop's reader where reads are local,
/// otherwise on a thread of the store.
struct LoopReads: Sendable {
    let store: any StoreReading
    let loop: any EngineLoop

    /// Reads, and then calls `done` on the loop: before this returns where reads are local. On the loop.
    func read<Value: Sendable>(
        with reader: any JobReader,
        _ body: @escaping @Sendable (any JobReader) throws(JobStoreError) -> Value,
        then done: @escaping StoreReply<Value>
    ) {
        guard store.isShared else {
            return done(Result { () throws(JobStoreError) in try body(reader) })
        }
        Task(executorPreference: loop) {
            let found: Result<Value, JobStoreError>
            do throws(JobStoreError) { found = .success(try await store.read(body)) } catch {
                found = .failure(error)
            }
            loop.execute { done(found) }
        }
    }
}
