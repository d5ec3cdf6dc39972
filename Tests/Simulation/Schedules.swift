import JobKit
import JobRunner
import JobSpec
import JobStore
import MemoryStore
import StrictJSON

// DESIGN
// Schedules are on the disk from the beginning and end with the faults. Their jobs do nothing, or wait so long that
// the next planned time meets them. At the end each planned time must have one job or the reason why it has none.

/// The schedules of a simulation.
// Safe because everything of a simulation happens on one thread.
final class Schedules: @unchecked Sendable {
    private let world: World
    private let disk: Disk
    private var specs: [ScheduleSpec] = []

    init(world: World, disk: Disk, until end: Timestamp) {
        self.world = world
        self.disk = disk
        for number in 0..<world.dice.pick([0, 0, 1, 2, 3]) { put(number, until: end) }
    }

    private func put(_ number: Int, until end: Timestamp) {
        let overlap = world.dice.pick(["skip", "wait", "replace", "allow"])
        let missed = world.dice.pick(["latest", "none", "all"])
        let job = world.dice.hits(50) ? #"{"type":"value","value":1}"# : #"{"type":"delay","for":"1500ms"}"#
        let text = """
            {"every":"\(world.dice.among(1...4))s","overlap":"\(overlap)","missed":"\(missed)",
            "jitter":"\(world.dice.pick([0, 800]))ms","starts_at":"\(world.now)","ends_at":"\(end)","job":\(job)}
            """
        let name = "s\(number)"
        guard let spec = ScheduleReader.readStored(Array(text.utf8), name: name) else {
            return world.fail("a schedule cannot be read: \(text)")
        }
        specs.append(spec)
        let record = ScheduleRecord(
            name: name, version: 1, body: Array(text.utf8), updatedAt: world.now, updatedBy: "ada",
            progress: ScheduleTurn.beginning(spec, after: nil, at: world.now, by: "ada"))
        disk.truth.perform(ScheduleChange(of: nil, to: record)) { _ in }
    }

    var isEmpty: Bool { specs.isEmpty }

    /// Makes what the engine needs.
    var jobs: ScheduledJobs {
        ScheduledJobs(
            make: { [world] spec, _, date, _ in .success(Self.job(of: spec, for: date, in: world)) },
            replacing: { [world] job, _ in
                CancelRequest(
                    id: job.id, at: world.now,
                    journal: JournalEntry(
                        at: world.now, path: [],
                        event: .cancelRequested(by: "schedule", reason: nil, code: .cancelledReplaced)))
            })
    }

    private static func job(of spec: ScheduleSpec, for date: Timestamp, in world: World) -> NewJob {
        let whole = spec.job(scheduledFor: date)
        let record = JobRecord(
            id: JobID(at: world.now, using: &world.dice), name: spec.plan.name,
            type: whole.object?["type"]?.string ?? "", queue: "schedules", priority: 5,
            labels: [
                .init(key: ScheduleSpec.label, value: spec.plan.name),
                .init(key: "for", value: date.description),
            ], state: .queued, attemptsMax: 1, createdAt: world.now, keepSucceededMilliseconds: 864_000_000,
            keepFailedMilliseconds: 864_000_000)
        return NewJob(record: record, spec: whole.encoded())
    }

    /// Whether all planned times have come. Their jobs are counted with the callbacks.
    var areOver: Bool { (try? disk.truth.makeReader().schedulesToWake(limit: 1).isEmpty) ?? false }

    /// Checks that each planned time has one job or a reason, and each job one planned time.
    func check(_ reader: any JobReader) throws(JobStoreError) {
        for spec in specs {
            let name = spec.plan.name
            var query = OccurrenceQuery(limit: 10_000)
            query.isLatestFirst = false
            let found = try reader.occurrences(of: name, query)
            var planned: [Timestamp] = []
            var from = World.start
            while let slot = spec.plan.next(after: from) {
                planned.append(slot.at)
                from = slot.at
            }
            if found.map(\.scheduledFor) != planned {
                world.fail("\(name) has \(found.count) occurrences of \(planned.count) planned times")
            }
            var made: [JobID: Timestamp] = [:]
            for occurrence in found {
                guard let id = occurrence.job else { continue }
                if made.updateValue(occurrence.scheduledFor, forKey: id) != nil {
                    world.fail("a job of \(name) is that of two planned times")
                }
                if try reader.job(id) == nil { world.fail("a job of \(name) is lost") }
            }
            try checkJobs(of: name, made, reader)
        }
    }

    private func checkJobs(
        of name: String, _ made: [JobID: Timestamp], _ reader: any JobReader
    ) throws(JobStoreError) {
        var query = JobListQuery()
        query.labels = [.init(key: ScheduleSpec.label, value: name)]
        query.limit = 500
        for job in try reader.list(query).jobs {
            let date = job.labels.first { $0.key == "for" }?.value
            if made[job.id]?.description != date {
                world.fail("a job of \(name) for \(date ?? "") has no planned time")
            }
        }
    }
}
