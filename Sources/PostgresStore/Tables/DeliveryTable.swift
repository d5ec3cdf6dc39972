import JobKit
import JobStore

// DESIGN
// A write locks the lines of its keys before it looks for them (`WriteNeeds.deliveries`), so that of two servers that
// get one delivery at the same time the second finds what the first stored.

/// The rows of deliveries to hooks, and of the keys by which they are known again.
struct DeliveryTable: DeliveryRows {
    private let connection: PostgresConnection
    private let deliveries, keys: String
    private static let columns = "id, delivery.hook, received_at, outcome, job, facts"

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let schema = connection.address.schema
        (deliveries, keys) = ("\(schema).delivery", "\(schema).delivery_key")
    }

    func first(of keys: [[UInt8]], _ hook: String) throws(PostgresFailure) -> DeliveryRecord? {
        if keys.isEmpty { return nil }
        return try records(
            """
            SELECT \(Self.columns), head, body FROM \(deliveries) AS delivery JOIN \(self.keys) AS known \
            ON known.delivery = delivery.id WHERE known.hook = $1 AND known.key = ANY($2) ORDER BY id LIMIT 1
            """, [.raw(hook), .blobs(keys)]
        ).first
    }

    func insert(_ delivery: DeliveryRecord, keys: [[UInt8]]) throws(PostgresFailure) {
        try connection.later(
            "INSERT INTO \(deliveries) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            [
                .id(delivery.id.bits), .raw(delivery.hook), .time(delivery.receivedAt),
                .integer(delivery.outcome.rawValue), .id(delivery.job), .bytes(delivery.facts),
                .bytes(delivery.head), .bytes(delivery.body),
            ])
        if keys.isEmpty { return }
        try connection.later(
            """
            INSERT INTO \(self.keys) SELECT $1, each, $3 FROM unnest($2::bytea[]) AS each \
            ON CONFLICT (hook, key) DO UPDATE SET delivery = excluded.delivery
            """, [.raw(delivery.hook), .blobs(keys), .id(delivery.id.bits)])
    }

    func remove(before time: Timestamp, limit: Int) throws(PostgresFailure) -> Int {
        let rows = try connection.run(
            "SELECT id, octet_length(body) FROM \(deliveries) WHERE received_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED",
            [.time(time), .integer(Int64(limit))])
        var ids: [JobID] = []
        var bytes = 0
        for row in 0..<rows.count where bytes < DeliveryRecord.sweepBytesMax {
            ids.append(rows.id(row, 0))
            bytes += Int(rows.integer(row, 1))
        }
        if ids.isEmpty { return 0 }
        try connection.run("DELETE FROM \(keys) WHERE delivery = ANY($1)", [.ids(ids)])
        return try connection.run("DELETE FROM \(deliveries) WHERE id = ANY($1)", [.ids(ids)]).changed
    }

    // MARK: Reading

    func delivery(_ id: DeliveryID) throws(PostgresFailure) -> DeliveryRecord? {
        try records(
            "SELECT \(Self.columns), head, body FROM \(deliveries) AS delivery WHERE id = $1", [.id(id.bits)]
        ).first
    }

    func deliveries(
        to hook: String, outcome: DeliveryRecord.Outcome?, before id: DeliveryID?, limit: Int
    ) throws(PostgresFailure) -> [DeliveryRecord] {
        var values: [PostgresValue] = [.raw(hook), .integer(Int64(limit))]
        var filter = ""
        if let outcome {
            values.append(.integer(outcome.rawValue))
            filter += " AND outcome = $\(values.count)"
        }
        if let id {
            values.append(.id(id.bits))
            filter += " AND id < $\(values.count)"
        }
        return try records(
            """
            SELECT \(Self.columns), ''::bytea, ''::bytea FROM \(deliveries) AS delivery WHERE hook = $1\(filter) \
            ORDER BY id DESC LIMIT $2
            """, values)
    }

    private func records(_ sql: String, _ values: [PostgresValue]) throws(PostgresFailure) -> [DeliveryRecord]
    {
        let rows = try connection.run(sql, values)
        return (0..<rows.count).compactMap { row in
            guard let outcome = DeliveryRecord.Outcome(rawValue: rows.integer(row, 3)) else { return nil }
            var found = DeliveryRecord(
                id: DeliveryID(bits: rows.id(row, 0)), hook: rows.text(row, 1),
                at: Timestamp(milliseconds: rows.integer(row, 2)), outcome)
            found.job = rows.isNull(row, 4) ? nil : rows.id(row, 4)
            found.read(facts: rows.bytes(row, 5))
            found.head = rows.bytes(row, 6)
            found.body = rows.bytes(row, 7)
            return found
        }
    }
}
