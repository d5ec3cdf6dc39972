import Glibc

extension PostgresConnection {
    /// Conflicts with other transactions are met by trying again, so often.
    private static let triesMax = 8

    /// Runs `body` in a transaction and makes it durable. After a conflict with another transaction everything is taken
    /// back and `body` runs again: it must change nothing but the database.
    /// - Throws: what failed; nothing was changed then, unless the failure `isInDoubt`.
    func transaction<Value>(
        _ body: (PostgresConnection) throws(PostgresFailure) -> Value
    ) throws(PostgresFailure) -> Value {
        var tries = 1
        while true {
            do throws(PostgresFailure) {
                return try once(body)
            } catch {
                guard error.isConflict, tries < Self.triesMax else { throw error }
                // Those that met would meet again if they came back together.
                usleep(.random(in: 500...(1_000 << UInt32(tries))))
                tries += 1
            }
        }
    }

    private func once<Value>(
        _ body: (PostgresConnection) throws(PostgresFailure) -> Value
    ) throws(PostgresFailure) -> Value {
        try later("BEGIN", isPrepared: true)
        if let prologue { try later(prologue) }
        let value: Value
        do throws(PostgresFailure) {
            value = try body(self)
        } catch {
            takeBack()
            throw error
        }
        do throws(PostgresFailure) {
            try commit()
        } catch {
            takeBack()
            throw error
        }
        return value
    }

    /// Ends a failed transaction.
    private func takeBack() {
        // When a statement that waits fails, the first ROLLBACK is passed over with it.
        for _ in 0..<2 where !isBroken { _ = try? run("ROLLBACK") }
    }
}
