internal import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// The store remembers the ends that somebody is to be told of. Here jobs are made that do it, some at a time, and the
// store takes them in exchange for what it remembers. After a crash it begins anew, and what was told of is not there
// any more. A job of which that cannot be read is given up, so that it stops no other.

/// Telling of the ends of jobs.
extension JobRunner {
    /// How many ends are told of in one step.
    private static let tellingMax = 64

    /// There may be ends to tell of that were not there before. On the loop.
    func mayHaveToTell() {
        desk.withLock { $0.mayHaveToTell = true }
        tellOfEnds()
    }

    /// Makes jobs that tell of the ends of others, if there may be any. On the loop.
    func tellOfEnds() {
        let begins = desk.withLock { desk -> Bool in
            guard desk.isStarted, !desk.isDraining, !desk.isTelling, desk.mayHaveToTell else { return false }
            desk.isTelling = true
            desk.mayHaveToTell = false
            return true
        }
        guard begins, let reader = reader.withLock({ $0 }) else { return }
        var callbacks: [JobCallbacks] = []
        do throws(JobStoreError) {
            for end in try reader.endsToTell(limit: Self.tellingMax) {
                callbacks.append(try self.callbacks(of: end, reader))
            }
        } catch {
            return told(.failure(error))
        }
        if callbacks.isEmpty { return told(.success(0)) }
        if callbacks.count == Self.tellingMax { desk.withLock { $0.mayHaveToTell = true } }
        store.submit(callbacks: callbacks) { [self] reply in
            loop.execute { [self] in told(reply) }
        }
    }

    private func callbacks(of end: JobEnd, _ reader: any JobReader) throws(JobStoreError) -> JobCallbacks {
        do throws(JobStoreError) {
            // One that was tried again meanwhile has another end to come.
            guard let job = try reader.job(end.id), job.revision == end.revision, job.state.isFinal else {
                return JobCallbacks(of: end, jobs: [])
            }
            return JobCallbacks(of: end, jobs: try settings.callbacks(job, reader))
        } catch {
            if error.isRetryable { throw error }
            trouble(
                EngineTrouble(detail: "Nobody can be told of the end of the job: \(error.detail)", id: end.id)
            )
            return JobCallbacks(of: end, jobs: [])
        }
    }

    private func told(_ reply: Result<Int, JobStoreError>) {
        desk.withLock { $0.isTelling = false }
        guard case .failure(let error) = reply else { return tellOfEnds() }
        guard error.isRetryable else {
            return trouble(EngineTrouble(detail: "Callbacks could not be stored: \(error.detail)"))
        }
        desk.withLock { $0.mayHaveToTell = true }
        Task(executorPreference: loop) { [self] in
            try? await environment.clock.sleep(for: settings.storeRetry)
            tellOfEnds()
        }
    }
}
