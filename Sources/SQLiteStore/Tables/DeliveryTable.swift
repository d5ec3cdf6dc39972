import JobKit
import JobStore

/// The rows of deliveries to hooks, and of the keys by which they are known again.
struct DeliveryTable: DeliveryRows {
    private let connection: SQLiteConnection
    private let find, insert, add: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        find = try connection.prepare(
            """
            SELECT \(DeliveryRecord.columns) FROM delivery JOIN delivery_key ON delivery_key.delivery = delivery.id \
            WHERE delivery_key.hook = ?1 AND delivery_key.key = ?2
            """)
        insert = try connection.prepare("INSERT INTO delivery VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
        add = try connection.prepare("INSERT OR REPLACE INTO delivery_key VALUES (?1, ?2, ?3)")
    }

    func first(of keys: [[UInt8]], _ hook: String) throws(SQLiteFailure) -> DeliveryRecord? {
        for key in keys {
            find.bind(1, hook)
            find.bind(2, key)
            defer { find.reset() }
            if try find.step(), let known = DeliveryRecord(row: find) { return known }
        }
        return nil
    }

    func insert(_ delivery: DeliveryRecord, keys: [[UInt8]]) throws(SQLiteFailure) {
        insert.bind(1, delivery.id.bits)
        insert.bind(2, delivery.hook)
        insert.bind(3, delivery.receivedAt)
        insert.bind(4, delivery.outcome.rawValue)
        if let job = delivery.job { insert.bind(5, job) } else { insert.bind(5, Int64?.none) }
        insert.bind(6, delivery.facts)
        insert.bind(7, delivery.head)
        try insert.run(with: delivery.body, at: 8)
        for key in keys {
            add.bind(1, delivery.hook)
            add.bind(2, key)
            add.bind(3, delivery.id.bits)
            try add.run()
        }
    }

    func remove(before time: Timestamp, limit: Int) throws(SQLiteFailure) -> Int {
        let rows = try connection.prepare(
            "SELECT id, length(body) FROM delivery WHERE received_at < ?1 LIMIT ?2")
        rows.bind(1, time)
        rows.bind(2, Int64(limit))
        var ids: [DeliveryID] = []
        var bytes = 0
        while bytes < DeliveryRecord.sweepBytesMax, try rows.step() {
            ids.append(DeliveryID(bits: rows.id(0)))
            bytes += Int(rows.integer(1))
        }
        rows.reset()
        for table in ["delivery_key WHERE delivery", "delivery WHERE id"] where !ids.isEmpty {
            let delete = try connection.prepare("DELETE FROM \(table) = ?1")
            for id in ids {
                delete.bind(1, id.bits)
                try delete.run()
            }
        }
        return ids.count
    }
}

extension DeliveryRecord {
    /// The columns, in the order of `init(row:)`; in lists without head and body.
    static let columns = "id, delivery.hook, received_at, outcome, job, facts, head, body"
    static let listColumns = "id, hook, received_at, outcome, job, facts, x'', x''"

    /// Reads the current row.
    init?(row: SQLiteStatement) {
        guard let outcome = Outcome(rawValue: row.integer(3)) else { return nil }
        self.init(
            id: DeliveryID(bits: row.id(0)), hook: row.text(1), at: Timestamp(milliseconds: row.integer(2)),
            outcome)
        job = row.isNull(4) ? nil : row.id(4)
        read(facts: row.bytes(5))
        head = row.bytes(6)
        body = row.bytes(7)
    }
}
