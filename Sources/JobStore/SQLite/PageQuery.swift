import JobKit

/// The statement that finds one page of jobs. Pages go along the index of ids, which is the order of creation.
struct PageQuery {
    private enum Value {
        case number(Int64), text(String), id(JobID)
    }

    private var terms: [String] = []
    private var values: [Value] = []
    private var source = "job"
    private let order: String
    private let rows: Int

    /// A page of `query` with `limit` rows.
    init(_ query: JobListQuery, limit: Int) {
        order = query.ascending ? "ASC" : "DESC"
        rows = limit
        addLabels(query)
        addStates(query.states)
        if let type = query.type { terms.append("job.type = \(mark(.text(type)))") }
        if let queue = query.queue { terms.append("job.queue = \(mark(.text(queue)))") }
        if let name = query.name { terms.append("job.name = \(mark(.text(name)))") }
        addTimes(query)
        if let after = query.after {
            terms.append("\(idColumn) \(query.ascending ? ">" : "<") \(mark(.id(after)))")
        }
    }

    /// The statement's text.
    var sql: String {
        let filter = terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ")
        return
            "SELECT \(StoredJob.columns) FROM \(source)\(filter) ORDER BY \(idColumn) \(order) LIMIT \(rows)"
    }

    /// Binds the filters' values.
    func bind(to statement: SQLiteStatement) {
        for (index, value) in values.enumerated() {
            switch value {
            case .number(let number): statement.bind(Int32(index) + 1, number)
            case .text(let text): statement.bind(Int32(index) + 1, text)
            case .id(let id): statement.bind(Int32(index) + 1, id)
            }
        }
    }

    private var idColumn: String { source == "job" ? "job.id" : "first.id" }

    private mutating func mark(_ value: Value) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    /// The first label leads, along its index; the others are looked up.
    private mutating func addLabels(_ query: JobListQuery) {
        guard let first = query.labels.first else { return }
        source = "label AS first CROSS JOIN job ON job.id = first.id"
        terms.append("first.key = \(mark(.text(first.key))) AND first.value = \(mark(.text(first.value)))")
        for label in query.labels.dropFirst() {
            terms.append(
                "EXISTS (SELECT 1 FROM label WHERE key = \(mark(.text(label.key))) "
                    + "AND value = \(mark(.text(label.value))) AND id = job.id)")
        }
    }

    private mutating func addStates(_ states: Set<JobState>) {
        if states.isEmpty { return }
        let numbers = states.map(\.stored).sorted()
        if numbers.count == 1, let number = numbers.first {
            terms.append(number > 10 ? "job.state = \(number) AND job.state > 10" : "+job.state = \(number)")
        } else {
            terms.append("+job.state IN (\(numbers.map(String.init).joined(separator: ", ")))")
        }
    }

    /// Times are filtered by the creation column; ids begin with the time of creation, so they narrow the search.
    private mutating func addTimes(_ query: JobListQuery) {
        if let from = query.createdFrom {
            terms.append("job.created_at >= \(mark(.number(from.milliseconds)))")
            terms.append("\(idColumn) >= \(mark(.id(Self.firstID(at: from))))")
        }
        if let before = query.createdBefore {
            terms.append("job.created_at < \(mark(.number(before.milliseconds)))")
            terms.append("\(idColumn) < \(mark(.id(Self.firstID(at: before))))")
        }
    }

    private static func firstID(at time: Timestamp) -> JobID {
        JobID(high: UInt64(min(max(time.milliseconds, 0), 0xFFFF_FFFF_FFFF)) << 16, low: 0)
    }
}
