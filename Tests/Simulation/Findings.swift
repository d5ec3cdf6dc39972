import JobKit
import JobSpec
import JobStore
import MemoryStore
import StrictJSON

/// The invariants at the end of a run.
struct Findings {
    let world: World
    let disk: Disk
    let cases: CaseBook
    let schedules: Schedules
    let bulks: BulkActions
    /// The number of ends of all jobs.
    let ends: Int64

    func check() {
        do {
            let reader = try disk.truth.makeReader()
            for job in cases.all { try check(job, reader) }
            try checkCallbacks(reader)
            try schedules.check(reader)
            try bulks.check(reader)
            try checkStatistics(reader)
            let holds = try reader.holds()
            if let hold = holds.first { world.fail("the key \(hold.key) is held for ever by \(hold.job)") }
        } catch { world.fail("the disk cannot be read: \(error)") }
    }

    /// Each end is counted once, by all its facts, whatever crashed.
    private func checkStatistics(_ reader: any JobReader) throws(JobStoreError) {
        // What no server has counted yet.
        disk.truth.perform(StatsRollUp(now: world.now, limit: 10_000)) { _ in }
        for facet in [StatsFacet.state, .name, .queue] {
            for step in StatsStep.allCases {
                let points = try reader.stats(
                    by: facet, step, of: nil, from: Timestamp(milliseconds: 0),
                    before: Timestamp(milliseconds: .max))
                let counted = points.reduce(0) { sum, point in
                    point.bin.groups.values.reduce(sum + point.bin.rest.count) { $0 + $1.count }
                }
                if counted != ends { world.fail("\(counted) ends by \(facet) are counted, of \(ends)") }
            }
        }
    }

    /// Each end is reported at most once, and the last one of each remaining job exactly once.
    private func checkCallbacks(_ reader: any JobReader) throws(JobStoreError) {
        let told = try Callbacks.told(reader)
        let ends = cases.all.flatMap(\.ends)
        if Set(told).count < told.count { world.fail("an end was told of twice") }
        if !Set(told).isSubset(of: ends) { world.fail("an end was reported that never came") }
        for job in cases.all where !job.isErased {
            guard let last = job.ends.last, !told.contains(last) else { continue }
            world.fail("the end of \(job.name) was not reported")
        }
    }

    private func check(_ job: JobCase, _ reader: any JobReader) throws(JobStoreError) {
        var found: [JobRecord] = []
        for id in job.candidates { if let record = try reader.job(id) { found.append(record) } }
        if let id = job.acknowledged, !job.isErased, !found.contains(where: { $0.id == id }) {
            return world.fail("\(job.name) was acknowledged and is lost")
        }
        if found.count > 1 && job.key != nil {
            return world.fail("\(job.name) is there \(found.count) times")
        }
        for record in found {
            if !record.state.isFinal { world.fail("\(job.name) ends as \(record.state.rawValue)") }
            if found.count == 1 { try check(job, record, reader) }
        }
    }

    private func check(_ job: JobCase, _ record: JobRecord, _ reader: any JobReader) throws(JobStoreError) {
        let journal = try reader.journal(record.id, after: 0, limit: 10_000)
        for (index, entry) in journal.enumerated() where entry.sequence != Int64(index) + 1 {
            world.fail("the journal of \(job.name) has a gap at \(entry.sequence)")
        }
        checkDate(of: job, record, journal.map(\.entry))
        for operation in job.operations {
            JournalCheck(world: world, job: job, operation: operation).run(journal.map(\.entry))
            if operation.plan.finals.isEmpty || job.mayBeEndedUnrun { continue }
            checkFinals(of: operation, journal.map(\.entry))
        }
        checkOutcome(of: job, record)
        if record.state == .succeeded { try checkResult(of: job, record, reader) }
    }

    /// No operation begins before the date of its job.
    private func checkDate(of job: JobCase, _ record: JobRecord, _ journal: [JournalEntry]) {
        guard let date = record.runAt else { return }
        let isShared = disk.truth.isShared
        for entry in journal where entry.at < date {
            // Once it has begun, a server may go on whose clock is behind.
            if case .started = entry.event, entry.path.isEmpty || !isShared {
                world.fail("\(job.name) began \(date.since(entry.at)) early")
            }
        }
    }

    /// Once a group has begun, its `finally` operations run, however it or the job ended.
    private func checkFinals(of group: OperationLedger, _ journal: [JournalEntry]) {
        var hasBegun = false
        var isSucceeded = false
        var ends: [String: JobState] = [:]
        for entry in journal {
            switch entry.event {
            case .retried where !isSucceeded: (hasBegun, ends) = (false, [:])
            case .started where entry.path == group.path: hasBegun = true
            case .finished(let ending) where entry.path == group.path:
                isSucceeded = ending.state == .succeeded
            case .finished(let ending) where entry.path.dropLast() == group.path[...]:
                ends[entry.path[group.path.count]] = ending.state
            default: break
            }
        }
        guard hasBegun else { return }
        for final in group.plan.finals where ends[final.name] != .succeeded && ends[final.name] != .failed {
            let end = ends[final.name]?.rawValue ?? "nothing"
            world.fail("\(final.name) of \(group.name) is to be done finally and ended as \(end)")
        }
    }

    private func checkOutcome(of job: JobCase, _ record: JobRecord) {
        if job.isOpenEnded { return }
        if job.isInDoubt {
            if record.state != .failed { world.fail("\(job.name) is in doubt and \(record.state.rawValue)") }
            return
        }
        if job.mayBeEndedUnrun, record.state == .failed { return }
        guard let expected = job.root.expected(), expected != record.state else { return }
        if expected == .failed && job.hasLostCalls || job.hasLostPolls { return }
        world.fail("\(job.name) should be \(expected.rawValue) and is \(record.state.rawValue)")
    }

    private func checkResult(
        of job: JobCase, _ record: JobRecord, _ reader: any JobReader
    ) throws(JobStoreError) {
        guard let result = try reader.result(record.id) else {
            return world.fail("\(job.name) succeeded without a result")
        }
        let text = String(decoding: result.body, as: UTF8.self)
        switch job.root.kind {
        case .value(let number):
            if text != "{\"n\":\(number)}" { world.fail("\(job.name) has the result \(text)") }
        case .call, .poll:
            if text != "{\"done\":true,\"from\":\"\(job.name)/\"}" {
                world.fail("\(job.name) has the result \(text)")
            }
        default: break
        }
    }
}

/// Checks the journal of one operation from its beginning.
struct JournalCheck {
    let world: World
    let job: JobCase
    let operation: OperationLedger

    private struct Reading {
        var startedAt: Timestamp?
        var open: Int?
        var lastAttempt = 0
        var notBefore: Timestamp?
        var isFinished = false
        var isSucceeded = false
        var counted = 0
    }

    func run(_ journal: [JournalEntry]) {
        var reading = Reading()
        let group = job.group(doingFinally: operation)?.path
        var groupIsSucceeded = false
        for entry in journal {
            if case .finished(let ending) = entry.event, entry.path == group {
                groupIsSucceeded = ending.state == .succeeded
            }
            if case .retried = entry.event, !reading.isSucceeded || group != nil && !groupIsSucceeded {
                reading = Reading(open: reading.open, lastAttempt: reading.lastAttempt)
            }
            if entry.path == operation.path { read(entry, &reading) }
        }
        if !operation.path.isEmpty, reading.open != nil, !reading.isFinished, job.state == .succeeded {
            world.fail("\(operation.name) has an attempt without an end")
        }
    }

    private func read(_ entry: JournalEntry, _ reading: inout Reading) {
        switch entry.event {
        case .started: reading.startedAt = reading.startedAt ?? entry.at
        case .attemptStarted(let number, _, _): begin(number, entry, &reading)
        case .attemptFinished(let record): end(record, entry, &reading)
        case .finished(let ending): finish(ending, entry, &reading)
        default: break
        }
    }

    private func begin(_ number: Int, _ entry: JournalEntry, _ reading: inout Reading) {
        if reading.isFinished { world.fail("\(operation.name) tried again after its end") }
        if reading.startedAt == nil { world.fail("\(operation.name) had an attempt before its start") }
        if number <= reading.lastAttempt { world.fail("attempt \(number) of \(operation.name) began twice") }
        if let open = reading.open { world.fail("attempt \(open) of \(operation.name) was forgotten") }
        if let date = reading.notBefore, entry.at < date {
            world.fail("attempt \(number) of \(operation.name) came \(date.since(entry.at)) early")
        }
        reading.open = number
        reading.lastAttempt = number
        reading.notBefore = nil
    }

    private func end(_ record: AttemptRecord, _ entry: JournalEntry, _ reading: inout Reading) {
        if reading.open != record.number {
            world.fail("attempt \(record.number) of \(operation.name) ended and had not begun")
        }
        reading.open = nil
        // An attempt that is due at once is never early, although the clock of the server that makes it may be behind.
        reading.notBefore = record.nextAttemptAt.flatMap { $0 > entry.at ? $0 : nil }
        switch record.outcome {
        case .notDone: reading.counted = 0
        case .interrupted: break
        default: reading.counted += 1
        }
        if let call = operation.plan.call, reading.counted > call.attemptsMax {
            world.fail("\(operation.name) made \(reading.counted) attempts of \(call.attemptsMax)")
        }
    }

    private func finish(_ ending: OperationEnding, _ entry: JournalEntry, _ reading: inout Reading) {
        if reading.isFinished { world.fail("\(operation.name) ended twice in the journal") }
        reading.isFinished = true
        reading.isSucceeded = ending.state == .succeeded
        guard ending.state == .succeeded else { return }
        if case .delay(let length) = operation.plan.kind, let startedAt = reading.startedAt,
            entry.at.since(startedAt) < .milliseconds(length)
        {
            world.fail("\(operation.name) was over after \(entry.at.since(startedAt)), not \(length) ms")
        }
        if case .value(let number) = operation.plan.kind, !operation.path.isEmpty,
            ending.result.map({ String(decoding: $0.body, as: UTF8.self) }) != "{\"n\":\(number)}"
        {
            world.fail("\(operation.name) has a wrong result")
        }
    }
}
