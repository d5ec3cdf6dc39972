import DurableJobs
import HTTPMessage
import JobKit
import JobRunner
import JobStore
import StrictJSON
import Synchronization

// DESIGN
// Jobs are cancelled one by one, as a person would, so that each has its error and its callbacks. The jobs that came
// after the request are left alone, and the request ends.

/// `POST /v1/queues/{name}:purge`: cancels the jobs of a queue that wait to begin.
final class PurgeQueue: Sendable {
    private let context: RequestContext
    private let name: String
    private let reason: String?
    private let cancelled = Atomic(0)
    private static let pageSize = 500

    private init(_ context: RequestContext, _ name: String, reason: String?) {
        self.context = context
        self.name = name
        self.reason = reason
    }

    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: .setting(.queue))
        var body = try CommandBody(context.request)
        let reason = body.text("reason", bytesMax: CancelJob.reasonBytesMax)
        try body.finish()
        // First, so that it is recorded also when the purge does not reach its end.
        context.recordChange()
        try PurgeQueue(context, name, reason: reason).next(after: nil)
    }

    /// Cancels the next page of jobs.
    private func next(after place: JobID?) throws(Problem) {
        var query = JobListQuery()
        query.queue = name
        query.states = [.queued, .scheduled, .pending]
        query.createdBefore = context.startedAt.advanced(by: .milliseconds(1))
        query.ascending = true
        query.after = place
        query.limit = Self.pageSize
        try context.onReaderThread { [query] reader throws(Problem) in
            let page = try stored(reader.list(query))
            self.cancel(page)
        }
    }

    private func cancel(_ page: JobPage) {
        if page.jobs.isEmpty { return end(page) }
        let left = Countdown(page.jobs.count)
        for job in page.jobs {
            let request = CancelRequest(
                of: job, by: context.caller.by, reason: reason, at: SystemTime.now())
            context.store.perform(request) { [self] result in
                switch result {
                case .success(.cancelled): cancelled.wrappingAdd(1, ordering: .relaxed)
                case .success(.cancelling):
                    cancelled.wrappingAdd(1, ordering: .relaxed)
                    context.server.engine.take([RunRequest(request)])
                default: break
                }
                if left.isOver() { end(page) }
            }
        }
    }

    /// Goes on after a page, or answers.
    private func end(_ page: JobPage) {
        context.goOn { [self] () throws(Problem) in
            if let place = page.next { return try next(after: place.id) }
            let count = cancelled.load(ordering: .relaxed)
            context.server.log.write(.info, "queue_purged") { [name, context] line in
                line.member("queue", name)
                line.member("by", by: context.caller.by)
                line.member("jobs_cancelled", Int64(count))
            }
            var json = JSONWriter(capacity: 64)
            json.beginObject()
            json.member("jobs_cancelled", count)
            json.endObject()
            context.answer(.ok, json: json.line())
        }
    }

    /// Counts down to the last of several.
    private final class Countdown: Sendable {
        private let left: Atomic<Int>

        init(_ count: Int) { left = Atomic(count) }

        /// Counts one; whether it was the last.
        func isOver() -> Bool { left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
    }
}
