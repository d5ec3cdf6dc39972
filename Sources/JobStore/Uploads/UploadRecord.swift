package import JobKit

/// Content that a client has sent before a job that uses it. It is kept for a day, and then as long as a job uses it.
package struct UploadRecord: Sendable, Hashable {
    /// The time for which an upload is kept that no job uses.
    package static let keep = Duration.seconds(86_400)
    /// The bytes for which it counts at least against the limit of its tenant: a row and a file cost something, too.
    package static let bytesMin = 4_096

    package var id: UploadID
    package var artifact: ArtifactReference
    package var contentType: String?
    package var createdAt: Timestamp
    /// The name of the caller who sent it.
    package var createdBy: String
    package var expiresAt: Timestamp
    /// Whether a job uses it.
    package var isUsed = false

    /// An upload that was sent now.
    package init(
        id: UploadID, artifact: ArtifactReference, contentType: String?, createdAt: Timestamp,
        createdBy: String
    ) {
        self.id = id
        self.artifact = artifact
        self.contentType = contentType
        self.createdAt = createdAt
        self.createdBy = createdBy
        expiresAt = createdAt.advanced(by: Self.keep)
    }

    /// The tenant to whom it belongs; nil when it belongs to none.
    package var tenant: Tenant? { Tenant(ofText: createdBy) }

    /// Whether it is only to be removed.
    package func isOver(at now: Timestamp) -> Bool { !isUsed && expiresAt <= now }

    /// Why a new job cannot use it; nil when it can.
    package func refusal(for job: JobRecord) -> JobStoreError? {
        tenant == job.tenant && !isOver(at: job.createdAt) ? nil : .noUpload(id)
    }
}

extension UploadRecord: TableRow {
    package static let table = StoredTable(
        "upload",
        [
            "id": .id, "sha256": .word, "bytes": .number, "content_type": .text, "created_at": .number,
            "created_by": .text, "expires_at": .number,
        ])

    package init(_ row: inout RowValues) {
        self.init(
            id: UploadID(bits: row.id()),
            artifact: ArtifactReference(sha256: row.text(), bytes: Int(row.number())),
            contentType: row.optionalText(), createdAt: row.time(), createdBy: row.text())
        expiresAt = row.time()
    }

    package var values: [StoredValue] {
        [
            .id(id.bits), .text(artifact.sha256), .number(Int64(artifact.bytes)), .init(contentType),
            .init(createdAt), .text(createdBy), .init(expiresAt),
        ]
    }
}

package protocol UploadReads: Sendable {
    /// An upload; nil when there is none. One that is over may still be there.
    func upload(_ id: UploadID) throws(JobStoreError) -> UploadRecord?

    /// Up to `limit` (1…10,000) uploads before `id` (nil for all), the newest first.
    func uploads(before id: UploadID?, limit: Int) throws(JobStoreError) -> [UploadRecord]
}
