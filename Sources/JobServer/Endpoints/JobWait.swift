import EventIO
import JobKit
import JobRunner
import JobStore
import Synchronization

/// Holds an answer back until a job is where the request wants it.
enum JobWait {
    /// Calls `then` on the loop with the job as it stands when it is final, or when the time is over.
    static func untilFinal(
        _ context: RequestContext, _ job: JobRecord, seconds: Int,
        then: @escaping @Sendable (JobRecord) -> Void
    ) {
        wait(context, job, seconds: seconds, until: { $0.isFinal }, sinceRevision: nil, then: then)
    }

    /// Calls `then` on the loop with the job as it stands when its revision is another one than `revision`, or when
    /// the time is over.
    static func untilChanged(
        _ context: RequestContext, _ job: JobRecord, from revision: Int64, seconds: Int,
        then: @escaping @Sendable (JobRecord) -> Void
    ) {
        wait(context, job, seconds: seconds, until: { _ in false }, sinceRevision: revision, then: then)
    }

    private static func wait(
        _ context: RequestContext, _ job: JobRecord, seconds: Int,
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
        guard seconds > 0, !context.server.isDraining.load(ordering: .relaxed),
            !isOver(job.state, job.revision)
        else { return then(job) }
        let watch = context.server.watch
        let waiter = watch.wait(
            for: job.id, on: context.exchange.loop, atMost: .seconds(seconds), until: ends,
            then: { ending in
                if case .changed(let change) = ending, let ended = change.ended { return then(ended.record) }
                context.attempt { () throws(Problem) in then(try context.job(job.id)) }
            })
        // What was committed between the read that gave `job` and the call above is seen here: mostly nothing, and
        // the cache knows.
        let latest = context.server.statusCache.latestChange(of: job.id)
        if latest.map(ends) ?? true {
            context.attempt { () throws(Problem) in
                let current: JobRecord
                if let ended = latest?.ended {
                    current = ended.record
                } else {
                    current = try context.job(job.id)
                }
                guard isOver(current.state, current.revision) else { return }
                if watch.abandon(waiter) { then(current) }
            }
        }
        context.exchange.whenAbandoned { _ = watch.abandon(waiter) }
    }
}
