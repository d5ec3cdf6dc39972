package import JobStore

extension DataDirectory {
    /// Reads the store while no server uses it, and changes nothing.
    /// - Throws: `.unavailable` when a server uses the directory, there is no store in it, or one of another version.
    package func reading<Value>(
        _ body: (any JobReader) throws(JobStoreError) -> Value
    ) throws(JobStoreError) -> Value {
        let store: StoreAtRest
        do throws(JobStoreError) { store = try StoreAtRest(path) } catch {
            guard error.isInUse else { throw error }
            throw JobStoreError(.unavailable, "A server uses \(path). Stop it first.")
        }
        defer { store.lock.release() }
        return try body(
            try SQLiteJobReader(path: path + "/jobs.db", options: SQLiteOptions(), board: StoreBoard()))
    }
}
