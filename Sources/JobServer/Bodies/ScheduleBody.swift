import JobKit
import JobSpec
import JobStore
import StrictJSON

/// The JSON of schedules and their occurrences.
enum ScheduleBody {
    /// The number of planned times that are shown.
    static let previewMax = 10

    static func bytes(_ record: ScheduleRecord, base: String, warnings: [SpecWarning]? = nil) -> [UInt8] {
        var json = JSONWriter(capacity: 768 + record.body.count)
        append(record, base: base, warnings: warnings, to: &json)
        return json.line()
    }

    /// The JSON for a caller who may not see the jobs of the schedule.
    static func minimal(_ record: ScheduleRecord, warnings: [SpecWarning]? = nil) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("name", record.name)
        json.member("version", record.version)
        json.member("state", state(of: record.progress))
        append(warnings, to: &json)
        json.endObject()
        return json.line()
    }

    private static func append(_ warnings: [SpecWarning]?, to json: inout JSONWriter) {
        guard let warnings else { return }
        json.name("warnings")
        SpecWarning.write(warnings, to: &json)
    }

    /// The members that GET gives beside those of anything with a name.
    static let state = [
        "state", "next_at", "runs", "failures", "unfinished_job_ids", "pause", "note", "backfill", "warnings",
        "links",
    ]

    static func append(
        _ record: ScheduleRecord, base: String, warnings: [SpecWarning]? = nil, to json: inout JSONWriter
    ) {
        NamedHead(record).write(to: &json) { json in
            append(record.progress, to: &json)
            append(warnings, to: &json)
            let path = "\(base)/v1/schedules/\(record.name)"
            json.name("links")
            json.beginObject()
            json.member("self", path)
            json.member("occurrences", path + "/occurrences")
            json.member("jobs", "\(base)/v1/jobs?schedule=\(record.name)")
            json.endObject()
        }
    }

    private static func append(_ progress: ScheduleProgress, to json: inout JSONWriter) {
        json.member("state", state(of: progress))
        if let next = progress.next { json.member("next_at", next) }
        json.member("runs", progress.runs)
        json.member("failures", progress.failures)
        json.member("unfinished_job_ids", progress.open.map(\.description))
        if let pause = progress.pause {
            json.name("pause")
            json.beginObject()
            json.member("at", pause.at)
            json.member("by", by: pause.by)
            if let reason = pause.reason { json.member("reason", reason) }
            json.endObject()
        }
        if let note = progress.note {
            json.name("note")
            json.beginObject()
            json.member("at", note.at)
            json.member("detail", note.detail)
            json.endObject()
        }
        if let backfill = progress.backfill { append(backfill, to: &json) }
    }

    /// `active`, `paused`, or `over` when nothing is planned any more.
    private static func state(of progress: ScheduleProgress) -> String {
        if progress.next == nil { return "over" }
        return progress.pause == nil ? "active" : "paused"
    }

    private static func append(_ backfill: ScheduleProgress.Backfill, to json: inout JSONWriter) {
        json.name("backfill")
        json.beginObject()
        json.member("next", backfill.next)
        json.member("to", backfill.to)
        json.member("only", backfill.only.rawValue)
        json.member("concurrency", backfill.concurrency)
        json.member("made", backfill.made)
        json.member("unfinished_job_ids", backfill.open.map(\.description))
        json.member("started_at", backfill.startedAt)
        json.member("started_by", by: backfill.startedBy)
        json.endObject()
    }

    /// The answer to `validate_only`: the planned times that the spec would have, and the warnings.
    /// - Parameter known: the schedule that it would change; nil when there is none.
    static func preview(
        _ spec: ScheduleSpec, of known: ScheduleRecord?, warnings: [SpecWarning], at now: Timestamp
    ) -> [UInt8] {
        let progress = ScheduleTurn.beginning(spec, after: known?.progress, at: now, by: "")
        var json = JSONWriter(capacity: 2_048)
        json.beginObject()
        json.member("valid", true)
        append(upcoming(spec, progress, at: now, count: previewMax), as: "next", to: &json)
        json.name("warnings")
        SpecWarning.write(warnings, to: &json)
        json.endObject()
        return json.line()
    }

    /// The planned times from `now` on that get a job if nothing comes between.
    /// - Parameters:
    ///   - last: the planned time after which they begin; nil is now.
    ///   - passed: the number of jobs until then.
    static func upcoming(
        _ spec: ScheduleSpec, _ progress: ScheduleProgress, at now: Timestamp, after last: Timestamp? = nil,
        passed: Int = 0, count: Int
    ) -> SchedulePreview {
        var from = last.map { max($0, now) } ?? now
        // With jitter the next job may come after its planned time.
        if last == nil, let next = progress.next {
            let before = next.advanced(by: .milliseconds(-1))
            if before < now, spec.plan.next(after: before).map({ $0.dueAt > now }) ?? false { from = before }
        }
        return SchedulePreview(
            of: spec.plan, after: from, count: progress.next == nil ? 0 : count,
            runsLeft: spec.runsMax.map { $0 - progress.runs - passed }, isPaused: progress.pause != nil)
    }

    /// The planned times, as an array, and whether they wait for the end of a pause.
    static func append(_ preview: SchedulePreview, as name: String, to json: inout JSONWriter) {
        json.name(name)
        json.beginArray()
        for entry in preview.entries { append(entry, to: &json) }
        json.endArray()
        if preview.isPaused { json.member("paused", true) }
    }

    static func append(_ entry: SchedulePreview.Entry, to json: inout JSONWriter) {
        json.beginObject()
        json.member("scheduled_for", entry.slot.at)
        json.member("local", entry.local)
        json.member("runs_at", entry.slot.dueAt)
        json.member("notes", entry.notes)
        json.endObject()
    }

    /// - Parameter state: the state of its job; nil when it has none, or when that was erased.
    static func append(_ occurrence: Occurrence, _ state: JobState?, to json: inout JSONWriter) {
        json.beginObject()
        json.member("scheduled_for", occurrence.scheduledFor)
        json.member("origin", occurrence.origin.rawValue)
        switch occurrence.outcome {
        case .job(let id):
            json.member("job_id", id.description)
            if let state { json.member("job_state", state.rawValue) }
        case .skipped(let reason, let detail):
            json.member("skipped", reason.rawValue)
            if let detail { json.member("detail", detail) }
        }
        json.member("decided_at", occurrence.decidedAt)
        json.endObject()
    }
}
