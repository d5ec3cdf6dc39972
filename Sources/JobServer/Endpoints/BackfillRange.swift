import EventIO
import JobKit
import JobSpec
import JobStore
import Synchronization

// DESIGN
// A range may hold 100,000 planned times, each of which takes a look. So the look is done in slices, each behind the
// reads that came meanwhile, only a few at once, and not for a client that has disconnected.

/// The planned times in the range of a backfill that is asked for.
struct BackfillRange: Sendable {
    /// The looks in progress, and whether the client of one has disconnected.
    private final class Look: Sendable {
        let hasGone = Atomic(false)
        private let looks: RangeLooks
        private let owner: StreamOwner

        /// - Throws: when there are as many as there may be.
        init(_ looks: RangeLooks, for owner: StreamOwner) throws(Problem) {
            try looks.begin(for: owner)
            self.looks = looks
            self.owner = owner
        }

        deinit { looks.end(for: owner) }
    }

    let context: RequestContext
    let name: String

    /// Looks through the range on reader threads, and calls `done` on the last one.
    /// - Throws: when too many are looked through at once. A range with too many planned times is answered with a
    ///   problem.
    func look(
        _ survey: BackfillSurvey, done: @escaping @Sendable (BackfillSurvey) throws(Problem) -> Void
    ) throws(Problem) {
        let look = try Look(context.server.limits.rangeLooks, for: context.shareOwner)
        context.exchange.whenAbandoned { look.hasGone.store(true, ordering: .relaxed) }
        try context.onReaderThread { reader throws(Problem) in
            let record = try ScheduleEdit.known(try ScheduleEdit.record(name, reader), name)
            try goOn(survey, try ScheduleEdit.spec(of: record).plan, look, reader, done)
        }
    }

    private func goOn(
        _ survey: BackfillSurvey, _ plan: SchedulePlan, _ look: Look, _ reader: any JobReader,
        _ done: @escaping @Sendable (BackfillSurvey) throws(Problem) -> Void
    ) throws(Problem) {
        if look.hasGone.load(ordering: .relaxed) { return }
        var survey = survey
        let hasMore = try stored(survey.goOn(plan, of: name, at: context.startedAt, reader, reader))
        if let limit = survey.limit { throw Self.tooMany(limit) }
        guard hasMore else { return try done(survey) }
        try context.onReaderThread { [survey] reader throws(Problem) in
            try goOn(survey, plan, look, reader, done)
        }
    }

    private static func tooMany(_ limit: Timestamp) -> Problem {
        let detail =
            "the range holds more than \(BackfillTurn.plannedMax) planned times, the limit of one backfill: let it end "
            + "at \(limit), and start another one from there when it is over"
        return Problem(
            .invalidBody, detail + ".",
            items: [Problem.Item(.pointer("/to"), code: "body.value", detail: detail)])
    }
}
