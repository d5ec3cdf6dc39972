import DurableJobs
import HTTPMessage
import JobKit
import JobRunner
import JobSpec
import JobStore
import OpenSSLCrypto
import StrictJSON

/// `POST /v1/schedules/{name}:run`: makes a job at once, also while the schedule is paused or over.
enum RunSchedule {
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: .schedule)
        var body = try CommandBody(context.request)
        var allowed: ScheduleSpec.Overlap?
        if let value = body.value("overlap") {
            allowed = value.string.flatMap { ScheduleSpec.Overlap(rawValue: $0) }
            if allowed != .allow {
                body.refuse("overlap", "overlap can only be \"allow\" here", suggestion: "allow")
            }
        }
        try body.finish()
        let idempotency = try IdempotencyKey.claim(in: context)
        try SubmitJob.checkIntake(context)
        let (intake, random) = (context.intake, context.door.randomWords)
        try ScheduleEdit(context: context, name: name) { [allowed] record, reader throws(Problem) in
            let known = try ScheduleEdit.known(record, name)
            let spec = try ScheduleEdit.spec(of: known)
            let overlap = allowed ?? spec.overlap
            var made = try change(known, spec, intake, random, reader, idempotency)
            if overlap == .skip || overlap == .replace, let id = try unfinishedJob(of: known, reader) {
                if idempotency == nil { throw overlapping(id) }
                made.isReplayOnly = true
            }
            return made
        } done: { receipt throws(Problem) in
            if let replay = receipt.replay { return try answer(context, replay) }
            if receipt.occurrences.isEmpty {
                let id = try unfinishedJob(of: receipt.record, context.reader)
                if let id = id ?? receipt.record.progress.open.first { throw overlapping(id) }
            }
            context.server.metrics.schedules.count(receipt.occurrences)
            context.server.engine.take(receipt.stopping)
            guard let occurrence = receipt.occurrences.first, let id = occurrence.job else {
                guard case .skipped(_, let detail) = receipt.occurrences.first?.outcome else { return }
                throw Problem(.scheduleOverlap, detail ?? "No job was made.")
            }
            var fields = HTTPFields()
            fields.add("Location", context.base + JobPath.text(id))
            JobAnswer.sendAwaited(context, .accepted, try context.job(id), fields)
        }.run()
    }

    /// Answers a request whose idempotency key was used before.
    private static func answer(_ context: RequestContext, _ replay: SubmitOutcome) throws(Problem) {
        switch replay {
        case .keyReused(let holder): throw SubmitJob.keyReused(holder)
        case .replayedGone(let id): throw SubmitJob.keyOutlived(id)
        case .replayed(let job), .created(let job), .joined(let job), .replacing(let job, _):
            var fields = HTTPFields()
            fields.add("Location", context.base + JobPath.text(job.id))
            fields.add("Idempotency-Replayed", "true")
            JobAnswer.sendAwaited(context, .accepted, job, fields)
        }
    }

    private static func overlapping(_ id: JobID) -> Problem {
        Problem(
            .scheduleOverlap,
            "The job \(id) of the schedule has not ended. Wait for it or cancel it, or send {\"overlap\": \"allow\"}."
        ).member("job_id", Array("\"\(id)\"".utf8))
    }

    /// The first job of a schedule that has not ended.
    private static func unfinishedJob(
        of record: ScheduleRecord, _ reader: any JobReader
    ) throws(Problem) -> JobID? {
        for id in record.progress.open {
            let job = try stored(reader.job(id))
            if let job, !job.state.isFinal { return id }
        }
        return nil
    }

    /// Forgets the jobs that have ended, which is otherwise done at planned times.
    private static func makeRoom(
        in record: inout ScheduleRecord, _ reader: any JobReader
    ) throws(Problem) {
        guard record.progress.open.count >= ScheduleTurn.openMax else { return }
        record.progress.noteEnds(try stored(ScheduleTurn.Facts.read(record, reader, reader)).states)
        guard record.progress.open.count < ScheduleTurn.openMax else {
            throw Problem(.scheduleOverlap, ScheduleTurn.openRefusal)
        }
    }

    private static func change(
        _ known: ScheduleRecord, _ spec: ScheduleSpec, _ intake: Intake, _ random: RandomWords,
        _ reader: any JobReader, _ idempotency: IdempotencyClaim?
    ) throws(Problem) -> ScheduleChange {
        let now = SystemTime.now()
        // A planned time of the same millisecond has a job of its own.
        var date = now
        while spec.plan.contains(date) { date = date.advanced(by: .milliseconds(1)) }
        let made = try stored(intake.job(of: spec, for: date, reader: reader, now: now, random: random))
        switch made {
        case .failure(let error): throw Problem(.invalidSpec, "The job cannot be made: \(error.detail)")
        case .success(var job):
            job.idempotency = idempotency
            var record = known
            if spec.watchesJobs {
                try makeRoom(in: &record, reader)
                record.progress.open.append(job.record.id)
            }
            let occurrence = Occurrence(
                scheduledFor: date, origin: .manual, outcome: .job(job.record.id), decidedAt: now)
            return ScheduleChange(of: known.revision, to: record, planned: [.init(occurrence, job: job)])
        }
    }
}
