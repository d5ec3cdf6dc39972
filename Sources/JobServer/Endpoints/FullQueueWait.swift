import EventIO
import JobKit
import JobStore
import Synchronization

/// Submits jobs to queues that have room for so many, and say that submitters wait for it (`when_full`).
enum FullQueueWait {
    /// The maximum wait; then the job is refused.
    private static let waitMax = Duration.seconds(30)
    private static let pause = Duration.milliseconds(100)

    /// Stores a job, as soon as its queue has room for it.
    static func submit(_ job: NewJob, _ context: RequestContext, reply: @escaping StoreReply<SubmitOutcome>) {
        context.store.submit(job) { result in
            guard case .failure(let error) = result, case .lineFull(_, waits: true) = error.code,
                !context.server.process.isDraining,
                SystemTime.now().since(context.startedAt) < waitMax
            else { return reply(result) }
            let loop = context.exchange.loop
            Task(executorPreference: loop) {
                try? await loop.sleep(for: pause)
                if context.exchange.isAbandoned { return reply(result) }
                submit(job, context, reply: reply)
            }
        }
    }
}
