import Commands
import ContentFiles
import EventIO
import JobKit
import JobStore
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
            throw CommandFailure(code: .data, text: error.detail)
        }
    }
    /// The shared place of artifacts, which works.
    private static func artifacts(
        _ config: ServerConfig
    ) async throws(JobStoreError) -> SharedArtifactOptions? {
        let backend: any ContentBackend
        switch config.artifacts {
        case .folder(let path):
            do throws(JobStoreError) { backend = try FolderBackend(path) } catch {
                throw JobStoreError(
                    .unavailable,
                    "\(error.detail) --artifacts needs a directory that can be written, in one that exists.")
            }
        case .s3(let address):
            do throws(EventIOError) { backend = try S3Backend(address) } catch {
                throw JobStoreError(.unavailable, error.description)
            }
        case nil:
            throw JobStoreError(
                .unavailable,
                """
                Servers that share jobs with --store need a place for large results that all of them reach:
                    --artifacts s3://bucket/prefix
                or a directory that all of them have mounted:
                    --artifacts /mnt/artifacts
                """)
        }
        do throws(ArtifactFailure) { try await backend.check() } catch {
            throw JobStoreError(.unavailable, error.detail)
        }
        return SharedArtifactOptions(
            path: config.dataDirectory + "/artifacts", files: ArtifactOptions { RunningSHA256() },
            backend: backend)
    }
}
