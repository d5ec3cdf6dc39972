import JobKit
import JobStore

// DESIGN
// A write locks the lines of its keys before it looks for them (`WriteNeeds.deliveries`), so that of two servers that
// get one delivery at the same time the second finds what the first stored. Ids sort by time, so the primary key also
// finds the old rows; each has its keys, which are removed with it.

/// The rows of deliveries to hooks, and of the keys by which they are known again.
struct DeliveryTable: DeliveryRows {
    private let connection: PostgresConnection
    private let deliveries, keys, insertion: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let schema = connection.address.schema
        (deliveries, keys) = ("\(schema).delivery", "\(schema).delivery_key")
        insertion = DeliveryRecord.table.insertion(in: schema)
    }

    func first(of keys: [[UInt8]]) throws(PostgresFailure) -> DeliveryRecord? {
        if keys.isEmpty { return nil }
        let rows = try connection.run(
            """
            SELECT \(DeliveryRecord.table.list()) FROM \(deliveries) \
            WHERE id IN (SELECT delivery FROM \(self.keys) WHERE key = ANY($1)) ORDER BY id LIMIT 1
            """, [.blobs(keys)])
        return try rows.count == 0 ? nil : rows.record(0)
    }

    func insert(_ delivery: DeliveryRecord) throws(PostgresFailure) {
        try connection.later(insertion, delivery.parameters)
        if delivery.keys.isEmpty { return }
        try connection.later(
            """
            INSERT INTO \(keys) SELECT each, $2 FROM unnest($1::bytea[]) AS each \
            ON CONFLICT (key) DO UPDATE SET delivery = excluded.delivery
            """, [.blobs(delivery.keys), .id(delivery.id.bits)])
    }

    func remove(before time: Timestamp, limit: Int) throws(PostgresFailure) -> Int {
        let rows = try connection.run(
            """
            SELECT id, keys, octet_length(body) FROM \(deliveries) WHERE id < $1 ORDER BY id LIMIT $2 \
            FOR UPDATE SKIP LOCKED
            """, [.id(DeliveryID.first(at: time).bits), .integer(Int64(limit))])
        var ids: [JobID] = []
        var keys: [[UInt8]] = []
        var bytes = 0
        for row in 0..<rows.count where bytes < DeliveryRecord.sweepBytesMax {
            ids.append(rows.id(row, 0))
            keys += DeliveryRecord.keys(in: rows.bytes(row, 1))
            bytes += Int(rows.integer(row, 2))
        }
        if ids.isEmpty { return 0 }
        // A key may belong to a later replay.
        try connection.run(
            "DELETE FROM \(self.keys) WHERE key = ANY($1) AND delivery = ANY($2)", [.blobs(keys), .ids(ids)])
        return try connection.run("DELETE FROM \(deliveries) WHERE id = ANY($1)", [.ids(ids)]).changed
    }

    // MARK: Reading

    func delivery(_ id: DeliveryID) throws(PostgresFailure) -> DeliveryRecord? {
        let rows = try connection.run(
            "SELECT \(DeliveryRecord.table.list()) FROM \(deliveries) WHERE id = $1", [.id(id.bits)])
        return try rows.count == 0 ? nil : rows.record(0)
    }

    func deliveries(
        to hook: String, outcome: DeliveryRecord.Outcome?, before id: DeliveryID?, limit: Int
    ) throws(PostgresFailure) -> [DeliveryRecord] {
        let before = id?.bits ?? JobID(high: .max, low: .max)
        // The newest of each outcome, and of these the newest: the index has them by outcome.
        let ids = (outcome.map { [$0] } ?? DeliveryRecord.Outcome.allCases).map { outcome in
            """
            (SELECT id FROM \(deliveries) WHERE hook = $1 AND outcome = \(outcome.rawValue) AND id < $3 \
            ORDER BY id DESC LIMIT $2)
            """
        }
        return try connection.run(
            """
            SELECT \(DeliveryRecord.listColumns("''::bytea")) FROM \(deliveries) \
            WHERE id = ANY(ARRAY(SELECT id FROM (\(ids.joined(separator: " UNION ALL "))) AS newest \
            ORDER BY id DESC LIMIT $2)) ORDER BY id DESC
            """, [.raw(hook), .integer(Int64(limit)), .id(before)]
        ).records()
    }
}
