internal import JobKit
internal import JobStore
internal import Synchronization

extension JobRunner {
    /// Runs maintenance in small batches and renews leases, until the task is cancelled.
    func keepUp() async {
        var renewAt = environment.clock.uptime + settings.times.lease / 3
        var maintainAt = environment.clock.uptime
        var pace = SweepPace(longest: settings.times.sweepEvery)
        while !Task.isCancelled {
            pace.note(await sweep(pace.limit)?.end ?? .whole)
            if environment.clock.uptime >= maintainAt {
                maintain()
                maintainAt = environment.clock.uptime + settings.times.sweepEvery
            }
            if environment.clock.uptime >= renewAt {
                let isRenewed = await renewLease()
                await otherServers.shareLimits(self, as: owner)
                renewAt =
                    environment.clock.uptime
                    + (isRenewed ? settings.times.lease / 3 : settings.times.storeRetry)
            }
            let sweepAt = environment.clock.uptime + pace.pause
            do {
                try await environment.clock.sleep(untilUptime: min(sweepAt, maintainAt, renewAt))
            } catch {
                return
            }
        }
    }

    /// Has each part look after what it may have missed.
    private func maintain() {
        let counts = store.counts()
        if counts[.queued] != nil || counts[.cancelling] != nil { mayFindMore() }
        otherServers.keepUp(self)
        sharing.refreshLimits()
        callbacks?.send()
        schedules?.maintain()
        bulks?.maintain()
        grants.maintain()
        for maintain in [settings.maintain, statistics.maintain] { maintain(environment.clock.now) }
    }

    /// Erases and expires up to `limit` jobs; nil when that failed.
    private func sweep(_ limit: Int) async -> SweepOutcome? {
        let now = environment.clock.now
        let sweep = JobSweep(now: now, limit: limit) { Self.lapsed($0, $1, at: now) }
        return try? await store.perform(sweep)
    }

    /// Ends the timers and hooks, which hold this runner, after the drain: the process may go on without it.
    package func release() async {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in
                ticker.withLock { $0 = nil }
                dates.release()
                waits.release()
                suspects.release()
                schedules?.release()
                bulks?.release()
                environment.exclusion.onGrant { _ in }
                environment.origins.onPlace { _ in }
                environment.origins.onNews {}
                link.release()
                lease.onEnd {}
                continuation.resume()
            }
        }
    }

    /// The error of a job that was not started in time and is to end as `state`.
    private static func lapsed(
        _ record: JobRecord, _ state: JobState, at now: Timestamp
    ) -> AOperationError {
        var error =
            state == .failed
            ? AOperationError(
                .timeoutFinishBy,
                detail:
                    "\(record.name) was stopped because its deadline (finish_by) passed before it was started."
            )
            : AOperationError(
                .timeoutStartBy,
                detail:
                    "\(record.name) was not started by its start_by. Submit it again if it is still wanted; "
                    + "a later one or more --concurrency prevents this.")
        error.publisher = record.name
        error.path = [record.name]
        error.at = now
        return error
    }
}
