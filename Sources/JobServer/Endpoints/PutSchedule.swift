import DurableJobs
import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `PUT /v1/schedules/{name}`: 201 for a new one, else 200. With `validate_only` the next planned times. A paused one
/// stays so.
enum PutSchedule {
    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let validatesOnly = query.flag("validate_only")
        let pauses = query.flag("paused")
        try query.finish()
        let name = try context.name(of: .schedule)
        let given = try NamedBody(context, name, state: ScheduleBody.state)
        var (spec, job) = try given.read { value throws(Problem) in
            try SpecBody.taken { () throws(Intake.Refusal) in
                try context.intake.schedule(value, name, context.reader, now: context.startedAt)
            }
        }
        spec.isPaused = pauses ? true : nil
        let moment = SpecWarning.Moment(now: context.startedAt, vault: context.secrets)
        let warnings =
            ScheduleAdvice.warnings(about: spec, at: context.startedAt)
            + (job.map { SpecPlan.warnings(of: $0, at: moment) } ?? [])
        if validatesOnly {
            let known = try ScheduleEdit.record(name, context)
            _ = try given.expected(of: name, now: known?.version ?? 0)
            return context.answer(
                .ok, json: ScheduleBody.preview(spec, of: known, warnings: warnings, at: context.startedAt))
        }
        let body = CanonicalJSON.encode(given.spec)
        let by = context.caller.by
        try ScheduleEdit(context: context, name: name) { [spec] known, reader throws(Problem) in
            _ = try given.expected(of: name, now: known?.version ?? 0)
            if let known, known.body == body, !pauses || known.progress.pause != nil {
                answer(context, .ok, known, warnings)
                return nil
            }
            return try change(of: known, to: spec, name, body, by: by, reader)
        } done: { receipt throws(Problem) in
            context.server.log.write(.info, "schedule_stored") { line in
                line.member("schedule", name)
                line.member("by", by: by)
            }
            answer(context, receipt.record.revision == 1 ? .created : .ok, receipt.record, warnings)
        }.run()
    }

    private static func answer(
        _ context: RequestContext, _ status: HTTPStatus, _ record: ScheduleRecord, _ warnings: [SpecWarning]
    ) {
        Schedules.answer(context, record, status, warnings)
    }

    private static func change(
        of known: ScheduleRecord?, to spec: ScheduleSpec, _ name: String, _ body: [UInt8], by: String,
        _ reader: any JobReader
    ) throws(Problem) -> ScheduleChange {
        let now = SystemTime.now()
        let isSame = known?.body == body
        var record = ScheduleRecord(
            name: name, version: (known?.version ?? 0) + (isSame ? 0 : 1), body: body, updatedAt: now,
            updatedBy: by,
            progress: ScheduleTurn.beginning(spec, after: known?.progress, at: now, by: by))
        if let known {
            record.createdAt = known.createdAt
            record.createdBy = known.createdBy
        }
        if isSame, let known {
            record.updatedAt = known.updatedAt
            record.updatedBy = known.updatedBy
            record.progress.note = known.progress.note
        }
        var planned: [ScheduleChange.Planned] = []
        if let known {
            let isCut: Bool
            (planned, isCut) = try unsettled(known, at: now, reader)
            if isCut, let last = planned.last?.occurrence.scheduledFor {
                record.progress.note = .init(
                    at: now,
                    detail: "The spec was changed: planned times count from then on. Those after \(last) had "
                        + "not been decided, and are not listed, since they are too many.")
            }
        }
        return ScheduleChange(of: known?.revision, to: record, planned: planned)
    }

    /// The planned times of the earlier spec that are due and have no job yet, and whether there are more.
    private static func unsettled(_ known: ScheduleRecord, at now: Timestamp, _ reader: any JobReader)
        throws(Problem) -> (planned: [ScheduleChange.Planned], isCut: Bool)
    {
        guard let next = known.progress.next,
            let spec = ScheduleReader.readStored(known.body, name: known.name)
        else { return ([], false) }
        var planned: [ScheduleChange.Planned] = []
        let facts = try stored(ScheduleTurn.Facts.read(known, reader, reader))
        var from = next.advanced(by: .milliseconds(-1))
        while let slot = spec.plan.next(after: from), slot.dueAt <= now {
            if planned.count == ScheduleTurn.timesMax { return (planned, true) }
            let reason: Occurrence.Reason = known.progress.pause == nil ? .missed : .paused
            let outcome = Occurrence.Outcome.skipped(
                reason, detail: "The schedule was changed before a job was made.")
            if !facts.settled.contains(slot.at) {
                planned.append(.init(Occurrence(scheduledFor: slot.at, outcome: outcome, decidedAt: now)))
            }
            from = slot.at
        }
        return (planned, false)
    }
}
