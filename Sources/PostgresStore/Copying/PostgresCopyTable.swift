import JobKit
import JobStore

/// The statements that read and write the rows of a `StoredTable` in PostgreSQL.
struct PostgresCopyTable {
    let table: StoredTable
    let select, insert, count: String

    /// Those of type `text` with an id.
    private static let writtenIDs: Set = ["bulk_result.made"]
    /// The tables that have the number of the job, too.
    private static let numbered: Set = ["waiter", "callback"]

    init(_ table: StoredTable, schema: String) {
        self.table = table
        let home = "\(schema).\(table.name)"
        let names = table.columns.map { "\"\($0.name)\"" }
        let values = table.columns.map { column in
            table.name == "bulk_part" && column.name == "ids"
                ? "(SELECT string_agg(uuid_send(each.id), ''::bytea ORDER BY each.place) "
                    + "FROM unnest(\(table.name).ids) WITH ORDINALITY AS each (id, place))"
                : "\(table.name).\"\(column.name)\""
        }
        let rows = "SELECT \(values.joined(separator: ", ")) FROM \(home)"
        let jobs = table.columns.filter { StoredTable.references.contains("\(table.name).\($0.name)") }.map {
            "EXISTS (SELECT 1 FROM \(schema).job WHERE job.id = \(table.name).\($0.name))"
        }
        switch table.name {
        case "journal":
            select = """
                \(rows) UNION ALL SELECT id, journal_end, journal FROM \(schema).ended WHERE journal IS NOT NULL
                """
        case "ending":
            select = """
                \(rows) UNION ALL SELECT landed.ends FROM \(schema).landed LEFT JOIN \(schema).counted \
                ON counted.server = landed.server WHERE landed.ends IS NOT NULL \
                AND landed.number > coalesce(counted.number, -1)
                """
        case "queue_rate":
            select = "\(rows) UNION ALL SELECT name, ''::bytea, rate FROM \(schema).queue WHERE rate <> 0"
        default: select = jobs.isEmpty ? rows : "\(rows) WHERE \(jobs.joined(separator: " AND "))"
        }
        count = "SELECT count(*) FROM \(home)"

        var columns = names
        var news = zip(table.columns, names).map { column, name in
            if table.name == "bulk_part" && column.name == "ids" {
                return """
                    ARRAY(SELECT encode(substring(new.ids FROM place * 16 + 1 FOR 16), 'hex')::uuid \
                    FROM generate_series(0, length(new.ids) / 16 - 1) AS place ORDER BY place)
                    """
            }
            return column.kind == .flag ? "new.\(name) <> 0" : "new.\(name)"
        }
        if Self.numbered.contains(table.name) {
            columns.append("number")
            news.append("(SELECT job.number FROM \(schema).job WHERE job.id = new.id)")
        }
        let arrays = table.columns.enumerated().map { place, column in
            "$\(place + 1)::\(Self.type(of: column, in: table))[]"
        }
        insert = """
            INSERT INTO \(home) (\(columns.joined(separator: ", "))) SELECT \(news.joined(separator: ", ")) \
            FROM unnest(\(arrays.joined(separator: ", "))) AS new (\(names.joined(separator: ", ")))
            """
    }

    private static func type(of column: StoredTable.Column, in table: StoredTable) -> String {
        let name = "\(table.name).\(column.name)"
        return switch column.kind {
        case .number, .flag: "bigint"
        case .text, .bytes: "bytea"
        case .word: "text"
        case .id: writtenIDs.contains(name) ? "text" : "uuid"
        }
    }

    /// A row of `select`.
    func row(_ rows: PostgresRows, _ row: Int) -> [StoredValue] {
        var values = rows.values(row, of: table.columns)
        for (place, column) in table.columns.enumerated()
        where Self.writtenIDs.contains("\(table.name).\(column.name)") && !rows.isNull(row, place) {
            values[place] = .init(JobID(rows.text(row, place)))
        }
        return values
    }

    /// The values of `insert` for rows.
    func values(_ rows: [[StoredValue]]) -> [PostgresValue] {
        table.columns.enumerated().map { place, column in
            let values = rows.map { $0[place] }
            let name = "\(table.name).\(column.name)"
            switch column.kind {
            case .number, .flag: return .integers(values.map(\.number))
            case .text: return .raws(values.map(\.text))
            case .word: return .texts(values.map(\.text))
            case .bytes: return .blobs(values.map(\.bytes))
            case .id:
                let ids = values.map(\.id)
                return Self.writtenIDs.contains(name)
                    ? .texts(ids.map { $0?.description }) : .optionalIDs(ids)
            }
        }
    }
}
