import JobKit
import JobSpec
import JobStore
import MemoryStore

// DESIGN
// The callback of a simulated end is a job that does nothing: what matters is that there is one per end. Its labels
// name the end.

/// The callback jobs of the simulation.
enum Callbacks {
    static let name = "callback"

    /// Makes the callback job of an end.
    static func make(for job: JobRecord, in world: World) -> NewJob {
        let record = JobRecord(
            id: JobID(at: world.now, using: &world.dice), name: name, type: "value", queue: "callbacks",
            priority: 5,
            labels: [
                .init(key: "of", value: job.id.description),
                .init(key: "revision", value: String(job.revision)),
            ], state: .queued, attemptsMax: 1, createdAt: world.now,
            keepSucceededMilliseconds: 864_000_000, keepFailedMilliseconds: 864_000_000)
        return NewJob(record: record, spec: Array(#"{"type":"value","name":"callback","value":1}"#.utf8))
    }

    /// The ends that were reported.
    static func told(_ reader: any JobReader) throws(JobStoreError) -> [JobEnd] {
        var query = JobListQuery()
        query.name = name
        query.limit = 1_000
        var ends: [JobEnd] = []
        while true {
            let page = try reader.list(query)
            ends += page.jobs.compactMap(end)
            guard page.hasMore, let last = page.jobs.last else { return ends }
            query.after = last.id
        }
    }

    private static func end(toldBy record: JobRecord) -> JobEnd? {
        let labels = Dictionary(record.labels.map { ($0.key, $0.value) }) { first, _ in first }
        guard let id = labels["of"].flatMap({ JobID($0) }),
            let revision = labels["revision"].flatMap({ Int64($0) })
        else { return nil }
        return JobEnd(id: id, revision: revision)
    }

    /// Whether all ends were reported, and everything has finished.
    static func areOver(_ disk: Disk) -> Bool {
        guard let open = try? disk.truth.makeReader().endsToTell(limit: 1) else { return false }
        return open.isEmpty && disk.truth.counts().allSatisfy { $0.value == 0 || $0.key.isFinal }
    }
}
