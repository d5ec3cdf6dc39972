// DESIGN
// A copy takes jobs along as values, `CopiedJob`, since the engines keep them in different tables. All else is rows of
// tables that the engines share, but for names of columns and for jobs, which SQLite knows by number: these are listed
// here, and each engine says what differs. A test compares the lists with both schemas, so that a new table or column
// is copied, or left out on purpose.

/// A table whose rows a copy takes along, as both engines understand it.
package struct CopyTable: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case number, flag, text, bytes, id }

    package struct Column: Sendable, Hashable {
        package let name: String
        package let kind: Kind
    }

    package let name: String
    package let columns: [Column]

    /// The columns that name a job without which the row means nothing, as `table.column`.
    package static let references: Set = [
        "summary.id", "waiter.id", "wake.id", "hold.id", "callback.id", "artifact.id", "approval.job",
        "upload_use.id", "callback_standing.id",
    ]

    private init(_ name: String, _ columns: KeyValuePairs<String, Kind>) {
        self.name = name
        self.columns = columns.map { Column(name: $0.key, kind: $0.value) }
    }

    /// All of them, in the order in which they are copied: after the jobs.
    package static let all = [
        CopyTable("journal", ["id": .id, "last": .number, "bytes": .bytes]),
        CopyTable("summary", ["id": .id, "last": .number, "bytes": .bytes]),
        CopyTable("idempotency", ["key": .text, "id": .id, "fingerprint": .bytes, "expires_at": .number]),
        CopyTable("waiter", ["id": .id, "key": .text, "is_over": .flag]),
        CopyTable("wake", ["key": .text, "id": .id]),
        CopyTable("hold", ["key": .text, "id": .id, "path": .text]),
        CopyTable("callback", ["id": .id, "revision": .number]),
        CopyTable(
            "artifact",
            [
                "id": .id, "path": .text, "sha256": .text, "bytes": .number, "name": .text,
                "content_type": .text, "content_coding": .text, "stored_at": .number,
            ]),
        CopyTable(
            "upload",
            [
                "id": .id, "sha256": .text, "bytes": .number, "content_type": .text, "created_at": .number,
                "created_by": .text, "expires_at": .number,
            ]),
        CopyTable("upload_use", ["upload": .id, "id": .id]),
        CopyTable("callback_standing", ["id": .id, "name": .text, "body": .bytes]),
        CopyTable(
            "delivery",
            [
                "id": .id, "hook": .text, "received_at": .number, "outcome": .number, "job": .id,
                "facts": .bytes, "head": .bytes, "body": .bytes,
            ]),
        CopyTable("delivery_key", ["hook": .text, "key": .bytes, "delivery": .id]),
        CopyTable(
            "approval",
            [
                "id": .id, "job": .id, "path": .text, "state": .number, "opened_at": .number,
                "expires_at": .number, "approves_late": .flag, "audience": .text, "closed_at": .number,
                "closed_by": .text, "comment": .text, "content": .bytes,
            ]),
        CopyTable(
            "capability",
            [
                "name": .text, "status": .number, "scopes": .text, "expires_at": .number, "reason": .text,
                "updated_at": .number, "updated_by": .text, "requested_at": .number, "requested_by": .id,
                "requested_scope": .text, "version": .number, "created_at": .number, "created_by": .text,
            ]),
        CopyTable(
            "template",
            [
                "name": .text, "version": .number, "body": .bytes, "created_at": .number,
                "created_by": .text,
            ]),
        CopyTable(
            "setting",
            [
                "kind": .number, "name": .text, "version": .number, "body": .bytes, "updated_at": .number,
                "updated_by": .text, "created_at": .number, "created_by": .text,
            ]),
        CopyTable(
            "validator",
            [
                "key": .text, "number": .number, "tag": .text, "modified": .text, "job": .text,
                "path": .text,
            ]),
        CopyTable("closing", ["origin": .text, "until": .number, "body": .bytes]),
        CopyTable(
            "schedule",
            [
                "number": .number, "name": .text, "version": .number, "revision": .number, "body": .bytes,
                "updated_at": .number, "updated_by": .text, "progress": .bytes, "wake_at": .number,
                "created_at": .number, "created_by": .text,
            ]),
        CopyTable(
            "occurrence",
            [
                "schedule": .number, "planned": .number, "origin": .number, "job": .id, "reason": .number,
                "detail": .text, "decided_at": .number,
            ]),
        CopyTable("queue_rate", ["queue": .text, "key": .text, "next": .number]),
        CopyTable(
            "bulk",
            [
                "number": .number, "id": .id, "body": .bytes, "per_second": .number, "created_at": .number,
                "created_by": .text, "total": .number, "state": .number, "done": .number,
                "skipped": .number, "failed": .number, "finished_at": .number, "stopped_by": .text,
            ]),
        CopyTable("bulk_part", ["bulk": .number, "part": .number, "ids": .bytes]),
        CopyTable(
            "bulk_result",
            [
                "bulk": .number, "place": .number, "job": .id, "outcome": .number, "code": .text,
                "detail": .text, "made": .id,
            ]),
        CopyTable(
            "audit",
            [
                "number": .number, "at": .number, "by": .text, "kind": .text, "action": .text,
                "target": .text, "request_id": .text, "address": .text, "before": .text, "after": .text,
            ]),
        CopyTable(
            "stats",
            [
                "step": .number, "facet": .number, "tenant": .text, "at": .number, "is_open": .flag,
                "body": .bytes,
            ]),
        CopyTable("ending", ["body": .bytes]),
    ]
}
