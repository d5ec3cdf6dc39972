import JobKit
import JobStore

/// Pauses and open breakers of origins. Rarely written: statements are prepared on demand.
struct ClosingTable: ClosingRows {
    let connection: SQLiteConnection

    func keep(_ closings: [OriginClosing], at now: Timestamp) throws(SQLiteFailure) {
        let old = try connection.prepare("DELETE FROM closing WHERE until <= ?1 OR origin = ?2")
        let insert = try connection.prepare("INSERT INTO closing (origin, until, body) VALUES (?1, ?2, ?3)")
        for closing in closings {
            old.bind(1, now.milliseconds)
            old.bind(2, closing.origin)
            try old.run()
            guard let until = closing.until else { continue }
            insert.bind(1, closing.origin)
            insert.bind(2, until.milliseconds)
            insert.bind(3, closing.bytes)
            try insert.run()
        }
    }
}

extension ReaderSession {
    func closings() throws(SQLiteFailure) -> [OriginClosing] {
        let rows = try pageStatement("SELECT body FROM closing ORDER BY origin")
        defer { rows.reset() }
        var found: [OriginClosing] = []
        while try rows.step() {
            if let closing = OriginClosing(rows.bytes(0)) { found.append(closing) }
        }
        return found
    }
}
