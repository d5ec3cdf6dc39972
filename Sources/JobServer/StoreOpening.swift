import Commands
import ContentFiles
import DurableJobs
import EventIO
import JobKit
import JobStore
import OpenSSLCrypto
import PostgresStore
import SQLiteStore

enum StoreOpening {
    /// Opens the store that the configuration names.
    /// - Returns: the store, and for one outside the data directory the lock on that.
    /// - Throws: `.data` with what to change.
    static func open(
        _ config: ServerConfig
    ) async throws(CommandFailure) -> (store: any JobStore, lock: DirectoryLock?) {
        do throws(JobStoreError) {
            guard let shared = config.store else {
                var options = SQLiteOptions()
                options.artifacts = ArtifactOptions { RunningSHA256() }
                options.reserve = config.diskReserve
                options.sync = config.sync == .full ? .full : .normal
                return (try DataDirectory(config.dataDirectory).open(options), nil)
            }
            let lock = try DirectoryLock(directory: config.dataDirectory)
            var options = shared.options
            options.artifacts = try await artifacts(config)
            let store = try PostgresDatabase.open(
                shared.connection, schema: shared.schema, options: options)
            return (store, lock)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The shared place of artifacts, which works.
    private static func artifacts(
        _ config: ServerConfig
    ) async throws(JobStoreError) -> SharedArtifactOptions? {
        guard let address = config.artifacts else {
            throw JobStoreError(
                .unavailable,
                """
                Servers that share jobs with --store need a place for large results that all of them reach:
                    --artifacts s3://bucket/prefix
                or a directory that all of them have mounted:
                    --artifacts /mnt/artifacts
                """)
        }
        var files = ArtifactOptions { RunningSHA256() }
        files.reserve = config.diskReserve
        return SharedArtifactOptions(
            path: config.dataDirectory + "/artifacts", files: files,
            backend: try await address.open(reserve: config.diskReserve))
    }
}

extension CommandFailure {
    /// The end of a program that cannot use its store.
    init(_ error: JobStoreError) {
        self.init(code: error.isAway ? .database : .data, text: error.detail)
    }

    /// The end of a program that cannot use its key file or its settings.
    init(_ error: EngineSetupError) {
        self.init(code: error.code == .data ? .data : .configuration, text: error.detail)
    }
}
