import JobKit
import JobStore
import Synchronization

/// Two runners that claim groups of jobs and finish each with a journal entry and a small result.
final class Running: Sendable {
    private struct Progress: Sendable {
        var done = 0
        var runners = 0
        var isOver = false
        var whenOver: CheckedContinuation<Void, Never>?
    }

    private let store: any JobStore
    private let size: Int
    private let owner = OwnerID.new()
    private static let claimTime = Timestamp(milliseconds: 1_900_000_000_000)
    private let progress = Mutex(Progress())

    private init(_ store: any JobStore, size: Int) {
        self.store = store
        self.size = size
    }

    static func run(_ store: any JobStore, _ options: RateOptions) async {
        let work = Running(store, size: options.claimSize)
        let watch = Stopwatch()
        work.progress.withLock { $0.runners = 4 }
        await withCheckedContinuation { continuation in
            store.renew(work.owner, now: Self.claimTime, lease: .seconds(60)) { _ in continuation.resume() }
        }
        for _ in 0..<4 { work.claim() }
        try? await Task.sleep(for: .seconds(options.seconds))
        await withCheckedContinuation { continuation in
            let isOver = work.progress.withLock { progress in
                progress.isOver = true
                progress.whenOver = continuation
                return progress.runners == 0
            }
            if isOver { continuation.resume() }
        }
        watch.report("claim and finish", work.progress.withLock { $0.done }, "jobs")
    }

    private func claim() {
        let request = ClaimRequest(limit: size, owner: owner, now: Self.claimTime)
        store.claim(request) { result in
            guard case .success(let claims) = result else { return self.end() }
            if claims.isEmpty { return self.end() }
            let group = Group(left: claims.count)
            for claim in claims { self.finish(claim, group) }
        }
    }

    /// The number of unfinished jobs of a claimed group.
    private final class Group: Sendable {
        let left: Atomic<Int>
        init(left: Int) { self.left = Atomic(left) }
    }

    private func finish(_ claim: Claim, _ group: Group) {
        let now = Timestamp(milliseconds: 1_900_000_000_100)
        let entry = JournalEntry(at: now, path: [], event: .finished(OperationEnding(state: .succeeded)))
        let result = OperationResult(
            status: 200, headers: [.init(name: "content-type", value: "application/json")],
            contentType: "application/json", body: sampleSpec)
        let update = RunUpdate(
            claim: claim.key, journal: [entry],
            standing: .init(state: .succeeded, attempt: 1, finishedAt: now, result: result))
        store.update(update) { answer in
            if case .failure(let error) = answer { fatal(error) }
            guard group.left.wrappingSubtract(1, ordering: .relaxed).newValue == 0 else { return }
            let goesOn = self.progress.withLock { progress in
                progress.done += self.size
                return !progress.isOver
            }
            if goesOn { self.claim() } else { self.end() }
        }
    }

    private func end() {
        let waiting = progress.withLock { progress in
            progress.runners -= 1
            return progress.runners == 0 ? progress.whenOver : nil
        }
        waiting?.resume()
    }
}
