/// The attempt of an operation that was in flight when the process ended.
struct InterruptedAttempt {
    let core: OperationCore

    /// Records it as interrupted, before anything else happens to the operation, such as a release or a cancellation.
    func note() {
        guard let journal = core.environment.journal, let history = journal.history(of: core.path),
            history.ending == nil, let open = history.openAttempt
        else { return }
        let now = core.environment.clock.now
        var record = open.interrupted(at: open.tryEndedAt ?? now, isUnsafe: core.mustStartDurably)
        record.error = record.error.map(core.stamp)
        journal.record(JournalEntry(at: now, path: core.path, event: .attemptFinished(record)))
    }

    /// The outcome of the operation when the attempt must not be repeated automatically, because its delivery is
    /// unknown; nil when it may be, or a person requested another try since then.
    var ending: OperationEnding? {
        guard let history = core.environment.journal?.history(of: core.path), var error = unknown(in: history)
        else { return nil }
        error.retryStoppedBy = "unsafe_method"
        error.detail +=
            " Ask the upstream, then retry the job; an idempotency_key makes this safe next time."
        return OperationEnding(state: .failed, errors: [error])
    }

    /// The unknown delivery of the last attempt of the current try; also when an earlier run recorded it and stopped
    /// then.
    private func unknown(in history: OperationHistory) -> AOperationError? {
        if let open = history.openAttempt {
            guard open.tryEndedAt == nil, core.mustStartDurably else { return nil }
            return open.interrupted(at: core.environment.clock.now, isUnsafe: true).error
        }
        guard core.mustStartDurably, let error = history.lastError, error.code == .interrupted,
            error.delivery != nil
        else { return nil }
        return error
    }
}
