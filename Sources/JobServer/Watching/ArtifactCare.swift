import JobKit
import JobStore
import Synchronization

/// Removes artifacts that no job uses any more, where the store does not do that by itself.
final class ArtifactCare: Sendable {
    private static let every = Duration.seconds(3_600)

    private let store: any ArtifactStore
    private let log: Log
    private let nextAt = Mutex(Timestamp(milliseconds: 0))
    private let isBusy = Atomic(false)

    init(of store: any ArtifactStore, log: Log) {
        self.store = store
        self.log = log
    }

    /// Removes them, from time to time. Does not wait.
    func maintain(at now: Timestamp) {
        let isTime = nextAt.withLock { next -> Bool in
            guard next <= now else { return false }
            next = now.advanced(by: Self.every)
            return true
        }
        guard isTime, store.artifacts?.keepsElsewhere == true else { return }
        if isBusy.exchange(true, ordering: .acquiringAndReleasing) { return }
        Task { [self] in
            defer { isBusy.store(false, ordering: .releasing) }
            do throws(JobStoreError) {
                while try await store.removeUnusedArtifacts() > 0 {}
            } catch {
                log.write(.warning, "artifacts_not_removed", message: error.detail)
            }
        }
    }
}
