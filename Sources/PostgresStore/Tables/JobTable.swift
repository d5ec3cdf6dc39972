import JobKit
import JobSpec
import JobStore

/// Reads and inserts jobs.
struct JobTable {
    let connection: PostgresConnection
    private let select, insert, insertTickets, selectSpec, insertLabels: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let schema = connection.address.schema
        select = StoredJob.selection(in: schema)
        insert = StoredJob.insertion(in: schema)
        insertTickets = StoredJob.ticketInsertion(in: schema)
        selectSpec = "SELECT spec FROM \(schema).job WHERE id = ANY($1)"
        insertLabels = """
            INSERT INTO \(schema).label SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[]) \
            ON CONFLICT DO NOTHING
            """
    }

    /// The jobs with these ids; those that do not exist are left out.
    func jobs(_ ids: [JobID]) throws(PostgresFailure) -> [JobID: StoredJob] {
        guard !ids.isEmpty else { return [:] }
        let rows = try connection.run(select, [.ids(ids)])
        var found: [JobID: StoredJob] = [:]
        for row in 0..<rows.count {
            let job = try StoredJob(rows, row)
            found[job.record.id] = job
        }
        return found
    }

    /// The spec's bytes as they were submitted, or nil when the job does not exist.
    func spec(_ id: JobID) throws(PostgresFailure) -> [UInt8]? {
        let rows = try connection.run(selectSpec, [.ids([id])])
        return rows.count == 0 ? nil : rows.bytes(0, 0)
    }

    /// Inserts new jobs, and answers which of them were not there before.
    func add(_ jobs: [(stored: StoredJob, new: NewJob)]) throws(PostgresFailure) -> Set<JobID> {
        guard !jobs.isEmpty else { return [] }
        let rows = try connection.run(insert, StoredJob.insertionValues(jobs))
        let added = Set((0..<rows.count).map { rows.id($0, 0) })
        let tickets = jobs.map(\.stored).filter { added.contains($0.record.id) }
        guard !tickets.isEmpty else { return added }
        try connection.run(insertTickets, StoredJob.ticketValues(tickets))
        let labels = tickets.flatMap { job in job.record.labels.map { ($0, job.record.id) } }
        if !labels.isEmpty {
            try connection.run(
                insertLabels,
                [.texts(labels.map(\.0.key)), .texts(labels.map(\.0.value)), .ids(labels.map(\.1))])
        }
        return added
    }
}
