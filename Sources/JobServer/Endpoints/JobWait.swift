import EventIO
import HTTPMessage
import JobKit
import JobRunner
import JobStore
import Synchronization

/// Delays an answer until a job reaches the requested state.
enum JobWait {
    /// Calls `then` with the current job once it is in a state, or when the time is up.
    /// - Parameter reads: whether `then` reads from the store: it runs where reads may block then, and otherwise, for a
    ///   job that has ended, at once on the loop.
    static func until(
        _ isReached: @escaping @Sendable (JobState) -> Bool, _ context: RequestContext, _ job: JobRecord,
        seconds: Int, reads: Bool, then: @escaping @Sendable (JobRecord) -> Void
    ) {
        if isReached(job.state) { return then(job) }
        wait(
            context, job, seconds: seconds, reads: reads,
            until: WaitEnd(after: job.revision, isReached: isReached), then: then)
    }

    /// The same once it has a later revision.
    static func untilChanged(
        _ context: RequestContext, _ job: JobRecord, seconds: Int, reads: Bool,
        then: @escaping @Sendable (JobRecord) -> Void
    ) {
        wait(
            context, job, seconds: seconds, reads: reads, until: WaitEnd(after: job.revision) { _ in true },
            then: then)
    }

    private static func wait(
        _ context: RequestContext, _ job: JobRecord, seconds: Int, reads: Bool, until end: WaitEnd,
        then: @escaping @Sendable (JobRecord) -> Void
    ) {
        guard seconds > 0, !context.server.process.isDraining else { return then(job) }
        let loop = context.exchange.loop
        guard loop.isCurrent else {
            return loop.execute {
                begin(context, job, seconds: seconds, reads: reads, until: end, then: then)
            }
        }
        begin(context, job, seconds: seconds, reads: reads, until: end, then: then)
    }

    /// Begins a wait. On the loop.
    private static func begin(
        _ context: RequestContext, _ job: JobRecord, seconds: Int, reads: Bool, until end: WaitEnd,
        then: @escaping @Sendable (JobRecord) -> Void
    ) {
        // Its run may have ended before it was durable.
        if !reads,
            let ended = context.server.news.statuses.latestChange(of: job.id)?.ended?.record,
            end.isAt(ended.state, ended.revision)
        {
            return then(context.shown(ended))
        }
        let watch = context.server.news.watch
        let access = context.openAccess()
        let waiter = watch.wait(
            for: job.id, on: context.exchange.loop, atMost: .seconds(seconds), until: { end.isMade(by: $0) },
            then: { ending in
                access?.leave()
                if !reads, let ended = ending.change?.ended { return then(context.shown(ended.record)) }
                context.afterWait { () throws(Problem) in
                    then(try Self.job(job.id, after: ending.change, context))
                }
            })
        access?.watch {
            guard watch.abandon(waiter) else { return }
            context.exchange.loop.execute {
                // The answer to a change is due: it was made. It shows the job as it was then.
                context.afterWait {
                    if context.route.method != .get {
                        then(job)
                    } else {
                        access.map { context.answer($0.problem) }
                    }
                }
            }
        }
        // Catches commits between the read that returned `job` and the watch above. Usually there are none, and the
        // cache knows that.
        let latest = context.server.news.statuses.latestChange(of: job.id)
        if latest.map({ end.isMade(by: $0) }) ?? true {
            context.afterWait { () throws(Problem) in
                let current = Result { () throws(Problem) in try Self.job(job.id, after: latest, context) }
                if case .success(let job) = current, !end.isAt(job.state, job.revision) { return }
                guard watch.abandon(waiter) else { return }
                access?.leave()
                then(try current.get())
            }
        }
        context.exchange.whenAbandoned {
            access?.leave()
            _ = watch.abandon(waiter)
        }
    }

    /// The job after a change: from the change itself, or read from the store.
    private static func job(
        _ id: JobID, after change: JobChange?, _ context: RequestContext
    ) throws(Problem) -> JobRecord {
        if let ended = change?.ended { return context.shown(ended.record) }
        return try context.job(id)
    }
}

/// The end of a wait for a job: a state at a later revision than the one that was read before the wait. Reports of
/// earlier revisions may come during the wait.
struct WaitEnd: Sendable {
    let after: Int64
    let isReached: @Sendable (JobState) -> Bool

    func isAt(_ state: JobState, _ revision: Int64) -> Bool { revision > after && isReached(state) }

    /// Whether a change ends the wait; an erasure always does.
    func isMade(by change: JobChange) -> Bool {
        change.state.map { isAt($0, change.revision) } ?? true
    }
}
