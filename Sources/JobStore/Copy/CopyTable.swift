// DESIGN
// A copy takes jobs along as values, `CopiedJob`, since the engines keep them in different tables. All else is rows of
// tables that the engines share, but for names of columns and for jobs, which SQLite knows by number: these are listed
// here, and each engine says what differs. A test compares the lists with both schemas, so that a new table or column
// is copied, or left out on purpose.

extension StoredTable {
    /// The columns that name a job without which the row means nothing, as `table.column`.
    package static let references: Set = [
        "summary.id", "waiter.id", "wake.id", "hold.id", "callback.id", "artifact.id", "approval.job",
        "upload_use.id", "callback_standing.id",
    ]

    /// All of them, in the order in which they are copied: after the jobs.
    package static let all = [
        StoredTable("journal", ["id": .id, "last": .number, "bytes": .bytes]),
        StoredTable("summary", ["id": .id, "last": .number, "bytes": .bytes]),
        StoredTable("idempotency", ["key": .text, "id": .id, "fingerprint": .bytes, "expires_at": .number]),
        StoredTable("waiter", ["id": .id, "key": .text, "is_over": .flag]),
        StoredTable("wake", ["key": .text, "id": .id]),
        StoredTable("hold", ["key": .text, "id": .id, "path": .text]),
        StoredTable("callback", ["id": .id, "revision": .number]),
        StoredTable(
            "artifact",
            [
                "id": .id, "path": .text, "sha256": .word, "bytes": .number, "name": .text,
                "content_type": .text, "content_coding": .text, "stored_at": .number,
            ]),
        UploadRecord.table,
        StoredTable("upload_use", ["upload": .id, "id": .id]),
        StoredTable("callback_standing", ["id": .id, "name": .text, "body": .bytes]),
        DeliveryRecord.table,
        DeliveryRecord.keyTable,
        StoredTable(
            "approval",
            [
                "id": .id, "job": .id, "path": .text, "state": .number, "opened_at": .number,
                "expires_at": .number, "approves_late": .flag, "audience": .text, "closed_at": .number,
                "closed_by": .text, "comment": .text, "content": .bytes,
            ]),
        GrantRecord.table,
        TemplateRecord.table,
        SettingRecord.table,
        StoredTable(
            "validator",
            [
                "key": .text, "number": .number, "tag": .text, "modified": .text, "job": .text,
                "path": .text,
            ]),
        StoredTable("closing", ["origin": .text, "until": .number, "body": .bytes]),
        ScheduleRecord.table.numbered,
        StoredTable(
            "occurrence",
            [
                "schedule": .number, "planned": .number, "origin": .number, "job": .id, "reason": .number,
                "detail": .text, "decided_at": .number,
            ]),
        StoredTable("queue_rate", ["queue": .text, "key": .text, "next": .number]),
        BulkRecord.table.numbered,
        StoredTable("bulk_part", ["bulk": .number, "part": .number, "ids": .bytes]),
        StoredTable(
            "bulk_result",
            [
                "bulk": .number, "place": .number, "job": .id, "outcome": .number, "code": .text,
                "detail": .text, "made": .id,
            ]),
        AuditRecord.table,
        StoredTable(
            "stats",
            [
                "step": .number, "facet": .number, "tenant": .text, "at": .number, "is_open": .flag,
                "body": .bytes,
            ]),
        StoredTable("ending", ["body": .bytes]),
    ]
}
