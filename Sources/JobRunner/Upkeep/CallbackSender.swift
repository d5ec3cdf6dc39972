internal import JobKit
internal import JobSpec
internal import JobStore
internal import Synchronization

// DESIGN
// The store keeps each end of a job that has callbacks. The sender creates the jobs that deliver the callbacks, a few
// at a time, and the store exchanges the ends for them in one transaction. After a crash it starts over, and an end
// that was exchanged is deleted. An end whose jobs cannot be created is dropped, so that it blocks no other.

/// Turns the ends of jobs into the jobs that deliver their callbacks.
final class CallbackSender: Sendable {
    private struct State {
        /// The reader of ends and jobs; nil before the start.
        var reader: (any JobReader)?
        var isStopped = false
        var isSending = false
        /// Whether there may be unread ends.
        var mayFindMore = true
        /// Whether the current storage failure was reported.
        var hasReported = false
    }

    /// The maximum number of ends exchanged in one step.
    private static let endsMax = 64
    /// The approximate size of the specs created in one step.
    private static let bytesMax = 4 << 20

    private let store: any JobStore
    private let loop: any EngineLoop
    private let jobs: @Sendable (JobRecord, any JobReader) throws(JobStoreError) -> [NewJob?]
    private let trouble: @Sendable (EngineTrouble) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - jobs: creates the jobs that deliver the callbacks of an ended job; nil in place of one that cannot be
    ///     created.
    ///   - trouble: called when the store refuses something.
    init(
        store: any JobStore, loop: any EngineLoop,
        jobs: @escaping @Sendable (JobRecord, any JobReader) throws(JobStoreError) -> [NewJob?],
        trouble: @escaping @Sendable (EngineTrouble) -> Void
    ) {
        self.store = store
        self.loop = loop
        self.jobs = jobs
        self.trouble = trouble
    }

    /// Starts sending, beginning with the ends that an earlier process left. On the loop.
    func start(_ reader: any JobReader) {
        state.withLock { $0.reader = reader }
        send()
    }

    func stop() { state.withLock { $0.isStopped = true } }

    /// Reports that a job with callbacks ended. On the loop.
    func mayFindMore() {
        state.withLock { $0.mayFindMore = true }
        send()
    }

    /// Exchanges ends for jobs, if there may be any. On the loop.
    func send() {
        let reader = state.withLock { state -> (any JobReader)? in
            guard !state.isStopped, !state.isSending, state.mayFindMore, let reader = state.reader else {
                return nil
            }
            state.isSending = true
            state.mayFindMore = false
            return reader
        }
        guard let reader else { return }
        LoopReads(store: store, loop: loop).read(with: reader) { [self] reader throws(JobStoreError) in
            try read(reader)
        } then: { [self] in
            exchange($0)
        }
    }

    /// Callbacks to send.
    private struct Found: Sendable {
        var callbacks: [JobCallbacks] = []
        /// The failures to report once they are stored.
        var troubles: [EngineTrouble] = []
        var hasMore = false
    }

    private func read(_ reader: any JobReader) throws(JobStoreError) -> Found {
        var found = Found()
        let ends = try reader.endsToTell(limit: Self.endsMax)
        var bytes = 0
        for end in ends where bytes < Self.bytesMax {
            let made = try callbacks(of: end, reader, &found.troubles)
            bytes += made.jobs.reduce(0) { $0 + $1.spec.count }
            found.callbacks.append(made)
        }
        found.hasMore = ends.count == Self.endsMax || found.callbacks.count < ends.count
        return found
    }

    /// Stores the jobs that were made. On the loop.
    private func exchange(_ found: Result<Found, JobStoreError>) {
        let made: Found
        switch found {
        case .success(let found): made = found
        case .failure(let error): return sent(.failure(error))
        }
        if made.callbacks.isEmpty { return sent(.success(0)) }
        if made.hasMore { state.withLock { $0.mayFindMore = true } }
        store.perform(CallbackSubmission(made.callbacks)) { [self] reply in
            if case .success = reply { made.troubles.forEach(trouble) }
            loop.execute { [self] in sent(reply) }
        }
    }

    /// - Parameter troubles: the failures to report once this is stored.
    private func callbacks(
        of end: JobEnd, _ reader: any JobReader, _ troubles: inout [EngineTrouble]
    ) throws(JobStoreError) -> JobCallbacks {
        var made: [NewJob?] = []
        do throws(JobStoreError) {
            // A job that was retried meanwhile has another end to come.
            if let job = try reader.job(end.id), job.revision == end.revision, job.state.isFinal {
                made = try jobs(job, reader)
            }
        } catch {
            if error.isRetryable { throw error }
            troubles.append(
                EngineTrouble(detail: "The callbacks of the job cannot be sent: \(error.detail)", id: end.id)
            )
        }
        if made.contains(where: { $0 == nil }) {
            troubles.append(
                EngineTrouble(
                    detail: "A callback of the job is not made: the spec of the callback job cannot be read.",
                    id: end.id))
        }
        return JobCallbacks(of: end, jobs: made.compactMap(\.self))
    }

    /// Ends that the store could not read or exchange are tried again with the next maintenance, or when another job
    /// ends.
    private func sent(_ reply: Result<Int, JobStoreError>) {
        guard case .failure(let error) = reply else {
            state.withLock { state in
                state.isSending = false
                state.hasReported = false
            }
            return send()
        }
        let isNew = state.withLock { state -> Bool in
            state.isSending = false
            state.mayFindMore = true
            guard !error.isRetryable, !state.hasReported else { return false }
            state.hasReported = true
            return true
        }
        if isNew { trouble(EngineTrouble(detail: "Callbacks could not be stored: \(error.detail)")) }
    }
}
