internal import JobKit
internal import JobStore

extension JobRun.Host {
    /// Stores the last word about a claim; when the store cannot take it at the moment, again and again until it can,
    /// or the server cannot wait any longer. What it refuses for good is reported, unless the claim is over anyway.
    /// - Parameter then: told whether it is stored. On any thread.
    func storeLastWord(
        _ update: RunUpdate, retryingAfter pause: Duration? = nil, then: @escaping @Sendable (Bool) -> Void
    ) {
        store.update(update) { [self] reply in
            switch reply {
            case .success: then(true)
            case .failure(let error) where error.isRetryable && !isGivingUp():
                later(pause ?? settings.storeRetry) { [self] in
                    storeLastWord(update, retryingAfter: settings.storeRetry * 2, then: then)
                }
            case .failure(let error):
                if error.code != .staleClaim {
                    trouble(EngineTrouble(detail: error.detail, id: update.claim.id))
                }
                then(false)
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
