import JobKit
import JobSpec
import JobStore
import Synchronization

extension Timestamp {
    /// The time of the tests.
    static let noon = Timestamp(milliseconds: 1_800_000_000_000)

    /// This many seconds after noon.
    static func noon(_ seconds: Int64) -> Timestamp {
        Timestamp(milliseconds: noon.milliseconds + seconds * 1_000)
    }
}

/// Makes ids in the order of the calls.
private let lastID = Mutex<UInt64>(0)

extension JobID {
    /// A new id for a job that was created at `time`.
    static func made(at time: Timestamp) -> JobID {
        let number = lastID.withLock { last in
            last += 1
            return last
        }
        return JobID(high: UInt64(time.milliseconds) << 16 | 0x7000, low: 0x8000_0000_0000_0000 | number)
    }
}

extension NewJob {
    /// A job that is runnable at once, unless `dueAt` is given.
    static func sample(
        _ name: String = "greet", id: JobID? = nil, priority: Int = 5, queue: String = "default",
        of customer: String? = nil, type: String = "value", labels: [JobSpec.Label] = [],
        createdAt: Timestamp = .noon,
        dueAt: Timestamp? = nil,
        expiresAt: Timestamp? = nil, key: String? = nil, fingerprint: [UInt8] = [1],
        keyUntil: Timestamp = .noon(3_600),
        spec: String = "{\"type\":\"value\"}"
    ) -> NewJob {
        var record = JobRecord(
            id: id ?? .made(at: createdAt), name: name, type: type, queue: queue, priority: priority,
            labels: labels,
            state: dueAt == nil ? .queued : .scheduled, attemptsMax: 3, createdAt: createdAt,
            keepSucceededMilliseconds: 10_000, keepFailedMilliseconds: 20_000)
        record.queueKey = customer
        record.dueAt = dueAt
        record.runAt = dueAt
        record.expiresAt = expiresAt
        return NewJob(
            record: record, spec: Array(spec.utf8),
            idempotency: key.map { IdempotencyClaim(key: $0, fingerprint: fingerprint, expiresAt: keyUntil) })
    }
}

extension StoredDetail {
    /// The detail of a job that failed in its own way.
    static func sample(_ words: String) -> StoredDetail {
        StoredDetail(JobDetail(errors: [AOperationError("test.sample", detail: words)]))
    }
}

extension JobSweep {
    static func sample(now: Timestamp, limit: Int) -> JobSweep {
        JobSweep(now: now, limit: limit) { record, state in
            AOperationError("test.late", detail: "\(record.name) \(state.rawValue)")
        }
    }
}

extension OperationEnding {
    /// The end of a job that was cancelled before it ran.
    static let cancelledByAda = OperationEnding(
        state: .cancelled, errors: [AOperationError(.cancelledUser, detail: "Cancelled by ada.")])
}
