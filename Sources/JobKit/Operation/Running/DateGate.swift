internal import Synchronization

/// The dates before which an operation does not begin: that of the whole run, and its own.
struct DateGate {
    let core: OperationCore

    /// Waits for them; false when the operation ended meanwhile or the run was suspended.
    func pass() async -> Bool {
        guard await passDateOfRun() else { return false }
        guard let runAt = core.settings.runAt, core.begunAt == nil else { return true }
        do {
            for end in core.ends(of: runAt) { try await core.wait(until: end, reason: .start) }
        } catch {
            return false
        }
        return !Task.isCancelled
    }

    /// Nothing is noted in the journal: this is no more than the rest of the wait in the store.
    private func passDateOfRun() async -> Bool {
        let clock = core.environment.clock
        guard core.path.isEmpty, let date = core.environment.notBefore, date > clock.now else { return true }
        let ticket = core.parts.withLock { $0.waits.begin(OperationWait(until: date, reason: .delay)) }
        defer { core.endWait(ticket) }
        core.environment.supervisor?.waitBegan(until: date)
        try? await clock.sleep(until: date)
        return !Task.isCancelled
    }
}
