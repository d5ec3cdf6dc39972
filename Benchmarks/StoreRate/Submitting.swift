import JobKit
import JobStore
import Synchronization

/// A number of submitters, each of which submits its next job when the last one is acknowledged.
final class Submitting: Sendable {
    private struct Progress: Sendable {
        var ids: [JobID] = []
        var running: Int
        var isOver = false
        var whenOver: CheckedContinuation<Void, Never>?
    }

    private let store: any JobStore
    private let progress: Mutex<Progress>
    private let next = Atomic<UInt64>(0)

    private let keys: UInt64

    private init(_ store: any JobStore, submitters: Int, keys: UInt64) {
        self.store = store
        self.keys = keys
        progress = Mutex(Progress(running: submitters))
    }

    /// Runs and reports; returns the ids of all jobs.
    static func run(_ store: any JobStore, _ options: RateOptions) async -> [JobID] {
        let work = Submitting(store, submitters: options.submitters, keys: options.keys)
        let watch = Stopwatch()
        for _ in 0..<options.submitters { work.submit() }
        try? await Task.sleep(for: .seconds(options.seconds))
        await withCheckedContinuation { continuation in
            let isOver = work.progress.withLock { progress in
                progress.isOver = true
                progress.whenOver = continuation
                return progress.running == 0
            }
            if isOver { continuation.resume() }
        }
        let ids = work.progress.withLock { $0.ids }
        watch.report("submit", ids.count, "jobs")
        return ids
    }

    private func submit() {
        let number = next.wrappingAdd(1, ordering: .relaxed).newValue
        let job = sampleJob(number, keys: keys)
        let id = job.record.id
        store.submit(job) { result in
            if case .failure(let error) = result { fatal(error) }
            let (goesOn, waiting) = self.progress.withLock { progress in
                progress.ids.append(id)
                if !progress.isOver { return (true, CheckedContinuation<Void, Never>?.none) }
                progress.running -= 1
                return (false, progress.running == 0 ? progress.whenOver : nil)
            }
            if goesOn { self.submit() }
            waiting?.resume()
        }
    }
}

/// Ends the program: a benchmark with errors measures nothing.
func fatal(_ error: any Error) -> Never {
    print(error)
    preconditionFailure("the store refused")
}
