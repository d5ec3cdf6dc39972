internal import JobKit
internal import JobStore

/// Wakes suspended jobs whose turn for an exclusive key or for a place at an origin has come.
final class TurnWaker: Sendable {
    private let store: any JobStore
    private let loop: any EngineLoop
    private let retryAfter: Duration
    private let isStopping: @Sendable () -> Bool

    /// - Parameter isStopping: whether the server stops, so that the next start wakes them.
    init(
        store: any JobStore, loop: any EngineLoop, retryAfter: Duration,
        isStopping: @escaping @Sendable () -> Bool
    ) {
        self.store = store
        self.loop = loop
        self.retryAfter = retryAfter
        self.isStopping = isStopping
    }

    /// Wakes operations whose turn comes, from now on.
    func begin(_ reader: any JobReader, _ environment: OperationEnvironment) {
        let exclusion = environment.exclusion
        exclusion.onGrant { [self] owner in wake(owner.job, reader) { exclusion.giveBack(owner) } }
        let origins = environment.origins
        origins.onPlace { [self] caller in
            wake(caller.job, reader) { [self] in origins.giveUp(caller, now: loop.clock.now) }
        }
    }

    /// Wakes the job of an operation whose turn has come while it was suspended.
    /// - Parameter passesOn: called when the job has no use for it any more.
    private func wake(_ job: String, _ reader: any JobReader, passesOn: @escaping @Sendable () -> Void) {
        guard let id = JobID(job) else { return }
        wake(id) {
            if Self.passesKeysOn(Result { () throws(JobStoreError) in try reader.job(id) }) { passesOn() }
        }
    }

    /// Wakes a job, and retries until the store accepts it.
    /// - Parameter notWaiting: called when the job is not waiting.
    private func wake(_ id: JobID, notWaiting: @escaping @Sendable () -> Void) {
        store.perform(JobWake([id], at: loop.clock.now)) { [self] reply in
            switch reply {
            case .success(let count): if count == 0 { notWaiting() }
            case .failure(let error):
                guard error.isRetryable, !isStopping() else { return }
                Task(executorPreference: loop) { [self] in
                    guard (try? await loop.clock.sleep(for: retryAfter)) != nil else { return }
                    wake(id, notWaiting: notWaiting)
                }
            }
        }
    }

    /// Whether a job whose turn for a key has come yields it to the next in line: the job has ended, or a person holds
    /// it. A job whose state cannot be read at the moment keeps its turn.
    static func passesKeysOn(_ found: Result<JobRecord?, JobStoreError>) -> Bool {
        guard case .success(let job) = found else { return false }
        return job.map { $0.state.isFinal || $0.state == .held } ?? true
    }
}
