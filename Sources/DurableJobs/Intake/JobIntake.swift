import JobKit
import JobSpec
import JobStore
import OpenSSLCrypto
import StrictJSON

/// Turns a spec into the first stored record of its job.
enum JobIntake {
    /// The default retention of jobs that succeeded or were skipped.
    static let keepSucceeded = Duration.seconds(7 * 86_400)
    /// The default retention of jobs that ended otherwise.
    static let keepFailed = Duration.seconds(30 * 86_400)

    /// The record of a job submitted now: `queued`, or `scheduled` when its start is in the future. Without its
    /// metadata.
    static func record(for spec: JobSpec, now: Timestamp, random: (UInt64, UInt64)) -> JobRecord {
        var generator = DrawnWords(random)
        let start = spec.operation.runAt?.date(from: now)
        var record = JobRecord(
            id: JobID(at: now, using: &generator), name: spec.operation.name, type: spec.operation.kind.type,
            queue: spec.queue, priority: spec.priority, labels: spec.labels, state: .queued,
            attemptsMax: attemptsMax(of: spec.operation), createdAt: now,
            keepSucceededMilliseconds: (spec.retention.succeeded ?? keepSucceeded).wholeMilliseconds,
            keepFailedMilliseconds: (spec.retention.failed ?? keepFailed).wholeMilliseconds)
        record.queueKey = spec.queueKey
        record.runAt = start
        if let start, start > now {
            record.state = .scheduled
            record.dueAt = start
        }
        record.startBy = spec.operation.startBy?.date(from: now)
        record.finishBy = spec.operation.finishBy?.date(from: now)
        record.expiresAt = record.startBy
        return record
    }

    /// The new job of a spec that was read from `text`.
    static func job(
        for spec: JobSpec, from text: [UInt8], now: Timestamp, random: (UInt64, UInt64)
    ) -> NewJob {
        var job = NewJob(record: record(for: spec, now: now, random: random), spec: text)
        job.uploads = spec.uploads.map(\.id)
        for callback in spec.callbacks { job.callbackEnds.formUnion(callback.states) }
        job.deadline = deadline(of: job.record, spec)
        guard let metadata = spec.metadata else { return job }
        if let place = JSONMemberText.range(of: metadataName, in: text) {
            job.record.metadata = Array(text[place])
            job.metadataPlace = place
        } else {
            job.record.metadata = JSONValue.object(metadata).encoded()
        }
        return job
    }

    /// The date at which an unstarted job fails. A job that is due at once and already late fails in its run, which is
    /// sooner than the next maintenance.
    private static func deadline(of record: JobRecord, _ spec: JobSpec) -> Timestamp? {
        guard let date = record.finishBy else { return nil }
        let runsAtOnce = record.state == .queued && spec.unique == nil
        return runsAtOnce && date <= record.createdAt ? nil : date
    }

    private static let metadataName = Array("metadata".utf8)

    private static func attemptsMax(of operation: OperationSpec) -> Int {
        // Not by `if let`, which would copy the rule.
        operation.retry?.attemptsMax ?? (operation.makesCall ? RetrySpec.standard : .once).attemptsMax
    }
}
