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
    /// How many bytes of specs are made in one step, about.
    private static let tellingBytesMax = 4 << 20

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
        var troubles: [EngineTrouble] = []
        var hasMore = false
        do throws(JobStoreError) {
            let ends = try reader.endsToTell(limit: Self.tellingMax)
            var bytes = 0
            for end in ends where bytes < Self.tellingBytesMax {
                let made = try self.callbacks(of: end, reader, &troubles)
                bytes += made.jobs.reduce(0) { $0 + $1.spec.count }
                callbacks.append(made)
            }
            hasMore = ends.count == Self.tellingMax || callbacks.count < ends.count
        } catch {
            return told(.failure(error))
        }
        if callbacks.isEmpty { return told(.success(0)) }
        if hasMore { desk.withLock { $0.mayHaveToTell = true } }
        store.submit(callbacks: callbacks) { [self, troubles] reply in
            if case .success = reply { troubles.forEach(trouble) }
            loop.execute { [self] in told(reply) }
        }
    }

    /// - Parameter troubles: what is to be reported once this is stored.
    private func callbacks(
        of end: JobEnd, _ reader: any JobReader, _ troubles: inout [EngineTrouble]
    ) throws(JobStoreError) -> JobCallbacks {
        var jobs: [NewJob?] = []
        do throws(JobStoreError) {
            // One that was tried again meanwhile has another end to come.
            if let job = try reader.job(end.id), job.revision == end.revision, job.state.isFinal {
                jobs = try settings.callbacks(job, reader)
            }
        } catch {
            if error.isRetryable { throw error }
            troubles.append(
                EngineTrouble(detail: "Nobody can be told of the end of the job: \(error.detail)", id: end.id)
            )
        }
        if jobs.contains(where: { $0 == nil }) {
            troubles.append(
                EngineTrouble(
                    detail: "A callback of the job is not made: the spec of its own job cannot be read.",
                    id: end.id))
        }
        return JobCallbacks(of: end, jobs: jobs.compactMap(\.self))
    }

    /// What the store could not take or tell is tried again with the next piece of upkeep, or when another job ends.
    private func told(_ reply: Result<Int, JobStoreError>) {
        guard case .failure(let error) = reply else {
            desk.withLock { desk in
                desk.isTelling = false
                desk.hasTroubleTelling = false
            }
            return tellOfEnds()
        }
        let isNew = desk.withLock { desk -> Bool in
            desk.isTelling = false
            desk.mayHaveToTell = true
            guard !error.isRetryable, !desk.hasTroubleTelling else { return false }
            desk.hasTroubleTelling = true
            return true
        }
        if isNew { trouble(EngineTrouble(detail: "Callbacks could not be stored: \(error.detail)")) }
    }
}
