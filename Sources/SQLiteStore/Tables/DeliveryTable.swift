import JobKit
import JobStore

// DESIGN
// A delivery costs its sender's answer each page that it changes. So its row has a number that is made of its id: rows
// go to the end of the table, are found by their ids, and are removed by their age without an index for either. Its
// keys are in the row, to be removed with it, and each once in a narrow index of all keys, which a new delivery asks.

/// The rows of deliveries to hooks, and of the keys by which they are known again.
struct DeliveryTable: DeliveryRows {
    private let connection: SQLiteConnection
    private let known, insert, add: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        known = try connection.prepare("SELECT delivery FROM delivery_key WHERE key = ?1")
        insert = try connection.prepare(DeliveryPlace.insertion)
        add = try connection.prepare("INSERT OR REPLACE INTO delivery_key VALUES (?1, ?2)")
    }

    func first(of keys: [[UInt8]]) throws(SQLiteFailure) -> DeliveryRecord? {
        for key in keys {
            known.bind(1, key)
            defer { known.reset() }
            guard try known.step() else { continue }
            let row = try connection.prepare(DeliveryPlace.selection)
            DeliveryPlace.bind(DeliveryID(bits: known.id(0)), to: row)
            if let delivery: DeliveryRecord = try row.first() { return delivery }
        }
        return nil
    }

    func insert(_ delivery: DeliveryRecord) throws(SQLiteFailure) {
        insert.bind(1, delivery.id.bits)
        insert.bind(2, delivery.hook)
        insert.bind(3, delivery.outcome.rawValue)
        if let job = delivery.job { insert.bind(4, job) } else { insert.bind(4, Int64?.none) }
        insert.bind(5, delivery.facts)
        insert.bind(6, delivery.keyBytes)
        insert.bind(7, delivery.head)
        insert.bind(9, DeliveryPlace.number(of: delivery.id))
        try insert.run(with: delivery.body, at: 8)
        for key in delivery.keys {
            add.bind(1, key)
            add.bind(2, delivery.id.bits)
            try add.run()
        }
    }

    func remove(before time: Timestamp, limit: Int) throws(SQLiteFailure) -> Int {
        let rows = try connection.prepare(
            "SELECT number, id, keys, length(body) FROM delivery WHERE number < ?1 ORDER BY number LIMIT ?2")
        rows.bind(1, DeliveryPlace.number(of: .first(at: time)))
        rows.bind(2, Int64(limit))
        var old: [(number: Int64, id: JobID, keys: [[UInt8]])] = []
        var bytes = 0
        while bytes < DeliveryRecord.sweepBytesMax, try rows.step() {
            old.append((rows.integer(0), rows.id(1), DeliveryRecord.keys(in: rows.bytes(2))))
            bytes += Int(rows.integer(3))
        }
        rows.reset()
        // A key may belong to a later replay.
        let forget = try connection.prepare("DELETE FROM delivery_key WHERE key = ?1 AND delivery = ?2")
        let delete = try connection.prepare("DELETE FROM delivery WHERE number = ?1")
        for row in old {
            for key in row.keys {
                forget.bind(1, key)
                forget.bind(2, row.id)
                try forget.run()
            }
            delete.bind(1, row.number)
            try delete.run()
        }
        return old.count
    }
}
