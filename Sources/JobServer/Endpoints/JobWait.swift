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
        wait(context, job, seconds: seconds, reads: reads, until: isReached, sinceRevision: nil, then: then)
    }

    /// The same once its revision differs from `revision`.
    static func untilChanged(
        _ context: RequestContext, _ job: JobRecord, from revision: Int64, seconds: Int, reads: Bool,
        then: @escaping @Sendable (JobRecord) -> Void
    ) {
        wait(
            context, job, seconds: seconds, reads: reads, until: { _ in false }, sinceRevision: revision,
            then: then)
    }

    private static func wait(
        _ context: RequestContext, _ job: JobRecord, seconds: Int, reads: Bool,
        until isReached: @escaping @Sendable (JobState) -> Bool, sinceRevision: Int64?,
        then: @escaping @Sendable (JobRecord) -> Void
    ) {
        let isOver: @Sendable (JobState, Int64) -> Bool = { state, revision in
            if let sinceRevision { return revision != sinceRevision }
            return isReached(state)
        }
        let ends: @Sendable (JobChange) -> Bool = { change in
            change.state.map { isOver($0, change.revision) } ?? true
        }
        guard seconds > 0, !context.server.process.isDraining,
            !isOver(job.state, job.revision)
        else { return then(job) }
        let loop = context.exchange.loop
        guard loop.isCurrent else {
            return loop.execute {
                begin(context, job, seconds: seconds, reads: reads, until: ends, isOver: isOver, then: then)
            }
        }
        begin(context, job, seconds: seconds, reads: reads, until: ends, isOver: isOver, then: then)
    }

    /// Begins a wait. On the loop.
    private static func begin(
        _ context: RequestContext, _ job: JobRecord, seconds: Int, reads: Bool,
        until ends: @escaping @Sendable (JobChange) -> Bool,
        isOver: @escaping @Sendable (JobState, Int64) -> Bool, then: @escaping @Sendable (JobRecord) -> Void
    ) {
        // Its run may have ended before it was durable.
        if !reads,
            let ended = context.server.news.statuses.latestChange(of: job.id)?.ended?.record,
            isOver(ended.state, ended.revision)
        {
            return then(context.shown(ended))
        }
        let watch = context.server.news.watch
        let access = context.openAccess()
        let waiter = watch.wait(
            for: job.id, on: context.exchange.loop, atMost: .seconds(seconds), until: ends,
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
        if latest.map(ends) ?? true {
            context.afterWait { () throws(Problem) in
                let current = try Self.job(job.id, after: latest, context)
                guard isOver(current.state, current.revision) else { return }
                guard watch.abandon(waiter) else { return }
                access?.leave()
                then(current)
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
