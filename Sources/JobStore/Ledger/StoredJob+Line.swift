package import JobKit

/// The line of a queue with a configuration.
extension StoredJob {
    /// The line in which it waits if its queue has a configuration.
    package var line: QueueGate.Line {
        QueueGate.Line(queue: record.queue, key: record.queueKey, priority: record.priority)
    }

    /// Whether it waits in the line of its queue rather than among all others.
    package var isInLine: Bool {
        get { record.isInLine }
        // An equal value would copy a shared record for nothing.
        set { if newValue != record.isInLine { record.isInLine = newValue } }
    }

    /// Whether it may wait in a line: it is runnable. One that is cancelled runs only to end.
    package var isForLine: Bool { readyAt != nil && record.state == .queued }

    /// Whether it will wait in a line when its date has come. A paused job has a date for its timers only.
    package var isDueForLine: Bool {
        record.dueAt != nil && record.state != .held && record.state.successors.contains(.queued)
    }

    /// The place in the line.
    package var place: QueuePlace? { readyAt.map { QueuePlace(time: $0, number: number) } }

    /// Makes it runnable when its date has come.
    package mutating func fallDue() {
        readyAt = record.dueAt
        record.dueAt = nil
        record.state = .queued
        record.revision += 1
    }

    /// Whether it is claimed before another job of its tenant: by priority, then by the time since when it may begin.
    package func isClaimed(before other: StoredJob) -> Bool {
        if record.priority != other.record.priority { return record.priority > other.record.priority }
        guard let first = claimableAt, let second = other.claimableAt else { return false }
        return (first, number) < (second, other.number)
    }

    /// Takes it out of the line because it did not start in time, and waits to be ended.
    package mutating func giveUpPlace() { readyAt = nil }
}

extension QueueGate {
    /// The jobs that may begin beside what runs: the first ones, whose queues let them.
    package func admissible(_ jobs: [StoredJob], limit: Int, now: Timestamp) -> [StoredJob] {
        if isIdle { return Array(jobs.prefix(limit)) }
        var gate = self
        var chosen: [StoredJob] = []
        for job in jobs where chosen.count < limit && gate.admits(job.line, now: now) {
            gate.begin(job.number, job.line)
            gate.takeRate(job.line, now: now, ready: now)
            chosen.append(job)
        }
        return chosen
    }
}
