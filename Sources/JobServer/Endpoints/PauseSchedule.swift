import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `POST /v1/schedules/{name}:pause` and `:resume`. Both are idempotent.
enum PauseSchedule {
    /// The maximum number of turns that a request makes of its own.
    private static let turnsMax = 2

    static func pause(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: .schedule)
        var body = try CommandBody(context.request)
        let reason = body.text("reason", bytesMax: 1_000)
        try body.finish()
        let by = context.caller.by
        try edit(context, name, "schedule_paused") { record, _ in
            if record.progress.pause != nil { return nil }
            var record = record
            record.progress.pause = .init(at: SystemTime.now(), by: by, reason: reason)
            return ScheduleChange(of: record.revision, to: record)
        }
    }

    /// Planned times that passed during the pause are not caught up.
    static func resume(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: .schedule)
        var body = try CommandBody(context.request)
        try body.finish()
        try edit(context, name, "schedule_resumed") { known, reader throws(Problem) in
            guard known.progress.pause != nil else { return nil }
            let now = SystemTime.now()
            let spec = try ScheduleEdit.spec(of: known)
            var record = known
            var planned: [ScheduleChange.Planned] = []
            // The planned times of the pause are settled first. The engine has done that, unless they are very many.
            var turns = 0
            repeat {
                turns += 1
                let turn = ScheduleTurn(record.progress, spec, at: now, try facts(of: record, reader))
                record.progress = turn.progress
                planned += turn.decisions.map { Self.planned($0, at: now) }
            } while turns < turnsMax && isBehind(record, at: now)
            if isBehind(record, at: now) { record.progress.passOver(to: now, of: spec.plan) }
            record.progress.resume()
            if let next = record.progress.next,
                let slot = spec.plan.next(after: next.advanced(by: .milliseconds(-1)))
            {
                record.progress.wakeAt = slot.dueAt
            }
            if record.progress.backfill != nil { record.progress.wakeAt = now }
            return ScheduleChange(of: known.revision, to: record, planned: planned)
        }
    }

    /// Whether planned times are due after a turn.
    private static func isBehind(_ record: ScheduleRecord, at now: Timestamp) -> Bool {
        record.progress.wakeAt.map { $0 <= now } ?? false
    }

    private static func facts(
        of record: ScheduleRecord, _ reader: any JobReader
    ) throws(Problem) -> ScheduleTurn.Facts {
        try stored(.read(record, reader, reader))
    }

    private static func planned(_ decision: ScheduleTurn.Decision, at now: Timestamp)
        -> ScheduleChange.Planned
    {
        let outcome = Occurrence.Outcome.skipped(decision.reason ?? .paused, detail: decision.detail)
        return .init(Occurrence(scheduledFor: decision.at, outcome: outcome, decidedAt: now))
    }

    /// - Parameter make: makes the change; nil when the schedule is so already.
    private static func edit(
        _ context: RequestContext, _ name: String, _ event: StaticString,
        make: @escaping @Sendable (ScheduleRecord, any JobReader) throws(Problem) -> ScheduleChange?
    ) throws(Problem) {
        try ScheduleEdit(context: context, name: name) { record, reader throws(Problem) in
            let known = try ScheduleEdit.known(record, name)
            guard let change = try make(known, reader) else {
                Schedules.answer(context, known)
                return nil
            }
            return change
        } done: { receipt throws(Problem) in
            context.server.log.write(.info, event) { line in
                line.member("schedule", name)
                line.member("by", by: context.caller.by)
            }
            context.server.metrics.schedules.count(receipt.occurrences)
            Schedules.answer(context, receipt.record)
        }.run()
    }
}
