internal import JobKit
internal import JobStore

/// The callback URLs of the job of a run, and what came to them according to the store.
final class StoredCallbacks: CallbackDesk {
    private let claim: ClaimKey
    /// Makes the writes of the job.
    private let store: any StoreWriting
    private let host: RunHost
    private var clock: any OperationClock { host.environment.clock }

    init(of claim: ClaimKey, in store: any StoreWriting, host: RunHost) {
        self.claim = claim
        self.store = store
        self.host = host
    }

    /// A server hears senders as long as it has a lease: it has none before it starts, and while it is stopped or the
    /// store is away, which then takes no request either.
    var hearsSince: Timestamp { host.lease.heldSince }

    func url(of place: CallbackPlace) throws(AOperationError) -> String {
        if let makeURL = host.settings.callbackURL { return makeURL(claim.id, place) }
        var error = AOperationError(
            .callbackUnavailable,
            detail:
                "This server does not know the URL at which others reach it, so it has no callback URLs. Start it with "
                + "--public-url, then retry the job.")
        error.delivery = "not_sent"
        throw error
    }

    func close(_ place: CallbackPlace, heard: Timestamp?) async throws(AOperationError) -> CallbackClosing {
        while true {
            let end = CallbackEnd(claim, place, at: clock.now, heard: heard)
            switch await Result.awaiting({ store.perform(end, reply: $0) }) {
            case .success(let closing): return closing
            // A store that is away keeps no sign of life.
            case .failure(let error) where error.isRetryable && heard != nil: return .heard(clock.now)
            case .failure(let error) where error.isRetryable: try await pause()
            case .failure(let error):
                if error.code == .staleClaim { host.dropped(claim, error) }
                throw AOperationError(
                    .interrupted, detail: "The end of the wait could not be stored: \(error.detail)")
            }
        }
    }

    private func pause() async throws(AOperationError) {
        do { try await clock.sleep(for: host.settings.times.storeRetry) } catch {
            throw AOperationError(.cancelledUser, detail: "The wait was stopped.")
        }
    }
}
