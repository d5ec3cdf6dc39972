import JobKit
import JobStore

/// The uses of content by jobs.
struct ArtifactTable {
    private let connection: PostgresConnection
    private let put, ofJob, bytesOfTenant: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let table = "\(connection.address.schema).artifact"
        put = """
            INSERT INTO \(table) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id, path) DO UPDATE SET \
            sha256 = excluded.sha256, bytes = excluded.bytes, name = excluded.name, \
            content_type = excluded.content_type, content_coding = excluded.content_coding, \
            stored_at = excluded.stored_at
            """
        bytesOfTenant = """
            SELECT coalesce(sum(bytes), 0)::bigint FROM \(table) AS artifact JOIN \(connection.address.schema).job \
            ON job.id = artifact.id WHERE substring(job.queue from 1 for length($1::bytea)) = $1
            """
        ofJob = """
            SELECT path, sha256, bytes, name, content_type, content_coding, stored_at FROM \(table) \
            WHERE id = ANY($1) ORDER BY stored_at, path
            """
    }

    func put(_ uses: [ArtifactUse], of job: StoredJob) throws(PostgresFailure) {
        for use in uses {
            try connection.run(
                put,
                [
                    .id(job.record.id), .raw(use.path.joined(separator: "/")), .text(use.artifact.sha256),
                    .integer(Int64(use.artifact.bytes)), .raw(use.artifact.name), .raw(use.contentType),
                    .raw(use.contentCoding), .time(use.storedAt),
                ])
        }
    }

    func bytes(of tenant: Tenant) throws(PostgresFailure) -> Int64 {
        try connection.run(bytesOfTenant, [.raw(tenant.prefix)]).integer(0, 0)
    }

    func uses(of id: JobID) throws(PostgresFailure) -> [ArtifactUse] {
        let rows = try connection.run(ofJob, [.ids([id])])
        return (0..<rows.count).map { row in
            ArtifactUse(
                path: rows.names(row, 0, by: "/"),
                artifact: ArtifactReference(
                    sha256: rows.text(row, 1), bytes: Int(rows.integer(row, 2)),
                    name: rows.optionalText(row, 3)),
                contentType: rows.optionalText(row, 4), contentCoding: rows.optionalText(row, 5),
                storedAt: Timestamp(milliseconds: rows.integer(row, 6)))
        }
    }
}
