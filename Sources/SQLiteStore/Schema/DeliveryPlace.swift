import JobKit
import JobStore

/// The number of a delivery: the milliseconds of its id, and fifteen of its random bits. Of two with the same bits, the
/// later one has the next free number.
enum DeliveryPlace {
    /// The most deliveries with the same bits.
    private static let shared = 64

    static func number(of id: DeliveryID) -> Int64 {
        let (high, low) = (id.bits.high, id.bits.low)
        let bits = (high >> 16) << 15 | (high & 0xFFF) << 3 | (low >> 59) & 7
        return Int64(clamping: bits)
    }

    /// Binds an id for `selection` and `lookup`.
    static func bind(_ id: DeliveryID, to statement: SQLiteStatement) {
        statement.bind(1, number(of: id))
        statement.bind(2, id.bits)
    }

    static let selection = select(DeliveryRecord.table.list())
    /// Finds the number of a delivery.
    static let lookup = select("number")

    private static func select(_ columns: String) -> String {
        "SELECT \(columns) FROM delivery WHERE number >= ?1 AND number < ?1 + \(shared) AND id = ?2"
    }

    /// Inserts the columns, with the number of the id behind them, or the first one after it that is free.
    static let insertion = """
        INSERT INTO delivery (\(DeliveryRecord.table.list()), number) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, \
        CASE WHEN NOT EXISTS (SELECT 1 FROM delivery WHERE number = ?9) THEN ?9 ELSE \
        (SELECT min(number) + 1 FROM delivery AS one WHERE number >= ?9 AND number < ?9 + \(shared - 1) AND NOT EXISTS \
        (SELECT 1 FROM delivery WHERE number = one.number + 1)) END)
        """
}
