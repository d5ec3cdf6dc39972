import JobStore
import SQLiteStore

enum StoreOpening {
    /// Opens the store that the configuration names.
    /// - Throws: `.data` with what to change.
    static func open(_ config: ServerConfig) throws(CommandFailure) -> any JobStore {
        var options = SQLiteOptions()
        options.artifacts = ArtifactOptions { RunningSHA256() }
        options.sync = config.sync == .full ? .full : .normal
        do throws(JobStoreError) {
            return try DataDirectory(config.dataDirectory).open(options)
        } catch {
            throw CommandFailure(code: .data, text: error.detail)
        }
    }
}
