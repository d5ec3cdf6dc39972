import EventIO
import HTTPMessage
import JobKit
import JobStore
import Synchronization

/// `GET /metrics`: metrics in Prometheus' text format.
enum MetricsPage {
    /// The time that the store has to tell of its queues. Without that they are left out: metrics are needed most when
    /// the store is in trouble.
    private static let queuesMax = Duration.seconds(1)

    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let isAnswered = Once()
        context.store.look(AllQueues(at: context.startedAt)) { result in
            if isAnswered.first() { answer(context, try? result.get()) }
        }
        let loop = context.exchange.loop
        Task(executorPreference: loop) {
            try? await loop.sleep(for: queuesMax)
            if isAnswered.first() { answer(context, nil) }
        }
    }

    /// - Parameter lines: the queues with a configuration; nil when they are not known.
    private static func answer(_ context: RequestContext, _ lines: [QueueStanding]?) {
        let render: @Sendable ([QueueStanding]) -> Void = { others in
            let text = PrometheusText.render(
                context.server, queues: QueueStanding.all(lines ?? [], others: others),
                now: context.startedAt)
            var fields = HTTPFields()
            fields.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            context.answer(HTTPResponse(status: .ok, fields: fields, body: .bytes(Array(text.utf8))))
        }
        let isAccepted = context.server.reads.threads.run { reader in render((try? reader.queues()) ?? []) }
        if !isAccepted { render([]) }
    }

    /// Lets the first of two come through.
    private final class Once: Sendable {
        private let isOver = Atomic(false)

        func first() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }
    }
}
