internal import JobKit
internal import JobStore
internal import StrictJSON
internal import Synchronization

/// The exclusive keys of the operations of one run, which the store keeps for all servers.
final class RunKeys: KeyKeeper {
    private struct Book {
        var waiting: [[ByteKey]: CheckedContinuation<Bool, Never>] = [:]
        /// The operations that got their keys before they waited.
        var granted: Set<[ByteKey]> = []
        var cancelled: Set<[ByteKey]> = []
    }

    private let claim: ClaimKey
    private let store: any SharedStore
    private let host: RunHost
    private let journal: RunJournal
    private let book = Mutex(Book())
    /// An operation in line asks again after this time, in case that a message was lost.
    private static let lookEvery = Duration.seconds(10)

    /// - Parameter store: the one for the writes of the job.
    init(claim: ClaimKey, in store: any SharedStore, host: RunHost, journal: RunJournal) {
        self.claim = claim
        self.store = store
        self.host = host
        self.journal = journal
    }

    func take(_ keys: Set<ByteKey>, by path: [String], waits: Bool) async -> KeyAnswer {
        let place = Self.place(of: path)
        book.withLock { _ = $0.granted.remove(place) }
        while true {
            // Keys that were released and not stored yet would still be its own.
            do throws(RunSuspended) { try await journal.flush() } catch { return .over }
            let request = KeyRequest(
                claim: claim, path: path, keys: keys.sorted().map(\.text), waits: waits,
                at: host.environment.clock.now)
            switch await Result.awaiting({ store.perform(request, reply: $0) }) {
            case .success(let isHeld): return isHeld ? .held : .busy
            case .failure(let error) where error.isRetryable:
                do { try await host.environment.clock.sleep(for: host.settings.times.storeRetry) } catch {
                    return .over
                }
            case .failure(let error):
                host.dropped(claim, error)
                return .over
            }
        }
    }

    func turn(of path: [String]) async -> Bool {
        let place = Self.place(of: path)
        book.withLock { _ = $0.cancelled.remove(place) }
        host.later(Self.lookEvery) { [weak self] in self?.resume(path, true) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = book.withLock { book -> Bool? in
                    if book.granted.remove(place) != nil { return true }
                    if book.cancelled.remove(place) != nil || Task.isCancelled { return false }
                    book.waiting[place] = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = book.withLock { book in
                let waiting = book.waiting.removeValue(forKey: place)
                if waiting == nil { book.cancelled.insert(place) }
                return waiting
            }
            waiting?.resume(returning: false)
        }
    }

    func leave(_ path: [String]) {
        store.perform(KeyRelease(path, of: claim, at: host.environment.clock.now)) { [weak self] reply in
            guard case .failure(let error) = reply, error.isRetryable, let self, !journal.isClosed else {
                return
            }
            host.later(host.settings.times.storeRetry) { [weak self] in self?.leave(path) }
        }
    }

    func freed() { host.loop.execute { [journal] in journal.flushUnsent() } }

    /// Reports that an operation got its keys. From any thread.
    func granted(to path: [String]) {
        let isWaiting = resume(path, true)
        if !isWaiting { book.withLock { _ = $0.granted.insert(Self.place(of: path)) } }
    }

    private static func place(of path: [String]) -> [ByteKey] { path.map { ByteKey($0) } }

    @discardableResult
    private func resume(_ path: [String], _ answer: Bool) -> Bool {
        let waiting = book.withLock { $0.waiting.removeValue(forKey: Self.place(of: path)) }
        waiting?.resume(returning: answer)
        return waiting != nil
    }
}
