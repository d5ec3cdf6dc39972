import ContentFiles
import EventIO
public import HTTPMessage
public import JobKit
import JobRunner
public import JobSpec
import JobStore
import OpenSSLCrypto
import SQLiteStore

extension JobEngine {
    /// The choices of an engine.
    public struct Options: Sendable {
        /// The most jobs that run at a time, 1…10,000; jobs that wait do not count. Default 256.
        public var concurrency = 256
        /// Whether a submitted job survives a power failure, which costs a sync of the disk for each group of writes;
        /// otherwise only the end of the process. Default true.
        public var survivesPowerFailure = true
        /// The time that `stop()` gives to running jobs before it leaves them to the next start; zero or more. Default
        /// 30 s.
        public var drainTimeout: Duration = .seconds(30)
        /// The addresses that calls of jobs may reach; nil, the default, is all. A server would say
        /// `EgressPolicy()`, which closes private networks.
        public var egress: EgressPolicy?
        /// The transport of calls; nil, the default, is libcurl on the thread of the engine.
        public var transport: (any Transport)?
        /// Told, in a sentence for people, when the store refuses something that no caller waits for. On any thread.
        public var trouble: @Sendable (String) -> Void = { _ in }

        /// The defaults.
        public init() {}
    }

    /// Starts an engine on a directory, and goes on with the jobs that are there.
    ///
    /// The jobs of a process that was killed are run again from their last step; a step that was in flight is repeated
    /// unless its kind says otherwise. A stored job of a kind that is not given ends as failed with
    /// `internal.kind_missing` when its turn comes, and `JobHandle.retry()` runs it once the kind is there.
    ///
    /// - Parameters:
    ///   - directory: the path of the directory, which is made when it is missing; its parent must be there. A server
    ///     may use the same directory when no engine does.
    ///   - kinds: the kinds of operations that jobs may have besides the built-in ones.
    ///   - options: the choices.
    /// - Throws: `inUse` when an engine or a server uses the directory; `invalidOptions` for kinds with the same, a
    ///   malformed or a built-in name, and for options out of range; `unavailable` when the directory cannot be made or
    ///   written; `corrupt` when its content cannot be read.
    public static func start(
        at directory: String, kinds: [OperationKind] = [], options: Options = Options()
    ) async throws(JobEngineError) -> JobEngine {
        let known: OperationKinds
        do throws(OperationKindsError) { known = try OperationKinds(kinds) } catch {
            throw JobEngineError(.invalidOptions, error.description)
        }
        guard (1...10_000).contains(options.concurrency), options.drainTimeout >= .zero else {
            throw JobEngineError(
                .invalidOptions,
                "concurrency must be 1 to 10,000 and drainTimeout zero or more, and they are "
                    + "\(options.concurrency) and \(options.drainTimeout).")
        }
        let store = try open(directory, options)
        do {
            let settings = try StoredSettings(of: store, keyFile: SecretKeyFile(nil, in: directory))
            var parts = EngineParts(
                store: store, settings: settings,
                intake: Intake(queues: settings.queues, egress: options.egress, kinds: known))
            parts.transport = options.transport
            parts.runner.limits.concurrency = options.concurrency
            parts.trouble = { [trouble = options.trouble] in trouble($0.detail) }
            let engine = try JobEngine(parts, drainTimeout: options.drainTimeout)
            engine.connect()
            return try await engine.begun()
        } catch {
            await store.close()
            switch error {
            case let error as JobEngineError: throw error
            case let error as EngineSetupError: throw JobEngineError(error)
            default: throw JobEngineError(.unavailable, String(describing: error))
            }
        }
    }

    private func begun() async throws(JobEngineError) -> JobEngine {
        do throws(JobStoreError) { try await begin() } catch {
            await close()
            throw JobEngineError(error)
        }
        return self
    }

    private static func open(
        _ directory: String, _ options: Options
    ) throws(JobEngineError) -> any JobStore {
        var stored = SQLiteOptions()
        stored.artifacts = ArtifactOptions { RunningSHA256() }
        stored.sync = options.survivesPowerFailure ? .full : .normal
        do throws(JobStoreError) { return try DataDirectory(directory).open(stored) } catch {
            throw JobEngineError(error)
        }
    }
}
