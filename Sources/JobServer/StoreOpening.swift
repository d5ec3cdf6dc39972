import JobStore
import PostgresStore
import SQLiteStore

enum StoreOpening {
    /// Opens the store that the configuration names.
    /// - Returns: the store, and for one outside the data directory the lock on that.
    /// - Throws: `.data` with what to change.
    static func open(
        _ config: ServerConfig
    ) throws(CommandFailure) -> (store: any JobStore, lock: DirectoryLock?) {
        do throws(JobStoreError) {
            guard let shared = config.store else {
                var options = SQLiteOptions()
                options.artifacts = ArtifactOptions { RunningSHA256() }
                options.sync = config.sync == .full ? .full : .normal
                return (try DataDirectory(config.dataDirectory).open(options), nil)
            }
            let lock = try DirectoryLock(directory: config.dataDirectory)
            var options = PostgresOptions()
            options.migrates = shared.migrates
            options.preparesStatements = !shared.isPooled
            let store = try PostgresDatabase.open(
                shared.connection, schema: shared.schema, options: options)
            return (store, lock)
        } catch {
            throw CommandFailure(code: .data, text: error.detail)
        }
    }
}
