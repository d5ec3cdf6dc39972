internal import JobKit
internal import JobStore

extension JobRun.Host {
    /// Stores the last word about a claim; when the store does not take it, again and again until it does, or the
    /// server cannot wait any longer: a job without it would be shown as running for as long as the server runs. What
    /// is not refused for the moment only is reported once. Nothing is said about a claim that is over anyway.
    /// - Parameter then: told whether it is stored. On any thread.
    func storeLastWord(
        _ update: RunUpdate, retryingAfter pause: Duration? = nil, then: @escaping @Sendable (Bool) -> Void
    ) {
        let (first, rest) = update.pieces
        store.update(first) { [self] reply in
            guard case .failure(let error) = reply else {
                guard let rest else { return then(true) }
                return storeLastWord(rest, then: then)
            }
            if error.code == .staleClaim || error.code == .notFound { return then(false) }
            let isGivingUp = isGivingUp()
            if isGivingUp || (!error.isRetryable && pause == nil) {
                trouble(EngineTrouble(detail: error.detail, id: update.claim.id))
            }
            if isGivingUp { return then(false) }
            later(pause ?? settings.storeRetry) { [self] in
                storeLastWord(update, retryingAfter: settings.storeRetry * 2, then: then)
            }
        }
    }

    /// Calls `body` after a pause.
    func later(_ pause: Duration, _ body: @escaping @Sendable () -> Void) {
        Task(executorPreference: loop) { [self] in
            try? await environment.clock.sleep(for: pause)
            body()
        }
    }
}
