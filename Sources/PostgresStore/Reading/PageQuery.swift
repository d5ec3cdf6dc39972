import JobKit
import JobSpec
import JobStore

/// The statement that finds the jobs of one page, in order: an index in that order gives the first jobs, and each is
/// checked against the filters that the index does not cover.
///
/// It selects the id, the time of the end (NULL when ordered by creation), and whether the job passes.
struct PageQuery {
    private let query: JobListQuery
    private let schema: String
    private let most: Int
    /// The values of the parameters.
    private(set) var values: [PostgresValue] = []

    /// The queue whose jobs have no entries in `job_queue`.
    private static let defaultQueue = "default"

    /// - Parameter most: the number of jobs that are examined.
    init(_ query: JobListQuery, schema: String, most: Int) {
        self.query = query
        self.schema = schema
        self.most = most
    }

    private var direction: String { query.ascending ? "ASC" : "DESC" }

    mutating func sql() -> String {
        let order = query.isByFinish ? "place \(direction), id \(direction)" : "id \(direction)"
        let parts = candidates()
        let first =
            parts.isEmpty
            ? "SELECT id, NULL::bigint AS place FROM \(schema).job WHERE false"
            : parts.map { "(\($0) ORDER BY \(order) LIMIT \(most))" }.joined(separator: " UNION ALL ")
        let fits = rest()
        return """
            SELECT first.id, first.place, \(fits.isEmpty ? "true" : fits.joined(separator: " AND ")) \
            FROM (SELECT * FROM (\(first)) AS part ORDER BY \(order) LIMIT \(most)) AS first \
            JOIN \(schema).job ON job.id = first.id LEFT JOIN \(schema).ticket ON ticket.id = first.id \
            LEFT JOIN \(schema).ended ON ended.id = first.id \
            ORDER BY \(query.isByFinish ? "first.place \(direction), " : "")first.id \(direction)
            """
    }

    private mutating func mark(_ value: PostgresValue) -> String {
        values.append(value)
        return "$\(values.count)"
    }

    // MARK: Candidates

    /// Statements that select ids and places, each by one index.
    private mutating func candidates() -> [String] {
        if query.isByFinish { return byFinish() }
        let bounds = idBounds()
        func part(_ table: String, _ terms: [String] = [], as column: String = "id") -> String {
            let terms = terms + bounds.map { "\(column) \($0)" }
            let filter = terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ")
            return "SELECT \(column), NULL::bigint AS place FROM \(schema).\(table)\(filter)"
        }
        if let name = query.name {
            let name = mark(.raw(name))
            // A job without a name is named after its type.
            return [
                part("job", ["name = \(name)", "name <> type"]),
                part("job", ["type = \(name)", "name = type"]),
            ]
        }
        if let label = query.labels.first {
            let (key, value) = (mark(.raw(label.key)), mark(.raw(label.value)))
            return [part("label", ["key = \(key)", "value = \(value)"])]
        }
        if let queue = query.queue, queue != Self.defaultQueue {
            return [part("job", ["queue = \(mark(.raw(queue)))", "queue <> '\(Self.defaultQueue)'"])]
        }
        if let parts = byState(part) { return parts }
        if let type = query.type { return [part("job", ["type = \(mark(.raw(type)))"])] }
        return [part("job")]
    }

    /// The jobs of rare states; nil when states exclude nothing that is frequent.
    private func byState(_ part: (String, [String], String) -> String) -> [String]? {
        if query.states.isEmpty || query.states.contains(.succeeded) { return nil }
        let states = query.states.map(\.stored).sorted()
        let open = states.filter { $0 < JobState.succeeded.stored }.map(String.init)
        var parts = states.filter { $0 > JobState.succeeded.stored }.map { state in
            part("ended", ["state = \(state)", "state <> \(JobState.succeeded.stored)"], "id")
        }
        if !open.isEmpty {
            parts.append(part("ticket", ["state IN (\(open.joined(separator: ", ")))"], "id"))
        }
        return parts
    }

    private mutating func byFinish() -> [String] {
        let bounds = finishBounds()
        func part(_ terms: [String]) -> String {
            let terms = terms + bounds
            return "SELECT id, finished_at AS place FROM \(schema).ended"
                + (terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND "))
        }
        let states = query.states.filter(\.isFinal).map(\.stored).sorted()
        if query.states.isEmpty || query.states.contains(.succeeded) { return [part([])] }
        return states.map { part(["state = \($0)", "state <> \(JobState.succeeded.stored)"]) }
    }

    /// Ids begin with the creation time, so times of creation bound the search.
    private mutating func idBounds() -> [String] {
        var terms: [String] = []
        if let after = query.after { terms.append("\(query.ascending ? ">" : "<") \(mark(.id(after)))") }
        if let from = query.createdFrom { terms.append(">= \(mark(.id(Self.firstID(at: from))))") }
        if let before = query.createdBefore { terms.append("< \(mark(.id(Self.firstID(at: before))))") }
        if let ids = query.ids {
            terms.append(">= \(mark(.id(ids.lowerBound)))")
            terms.append("<= \(mark(.id(ids.upperBound)))")
        }
        return terms
    }

    private mutating func finishBounds() -> [String] {
        var terms: [String] = []
        if let after = query.after, let time = query.afterFinish {
            terms.append(
                "(finished_at, id) \(query.ascending ? ">" : "<") (\(mark(.time(time))), \(mark(.id(after))))"
            )
        }
        if let from = query.finishedFrom { terms.append("finished_at >= \(mark(.time(from)))") }
        if let before = query.finishedBefore { terms.append("finished_at < \(mark(.time(before)))") }
        return terms
    }

    // MARK: Filters

    /// All filters, for the jobs that were found.
    private mutating func rest() -> [String] {
        var terms: [String] = []
        if !query.states.isEmpty {
            let numbers = query.states.map(\.stored).sorted().map(String.init).joined(separator: ", ")
            terms.append("coalesce(ticket.state, ended.state) IN (\(numbers))")
        }
        if let name = query.name { terms.append("job.name = \(mark(.raw(name)))") }
        if let prefix = query.namePrefix {
            terms.append("substring(job.name from 1 for \(prefix.utf8.count)) = \(mark(.raw(prefix)))")
        }
        if let ids = query.ids {
            terms.append("job.id BETWEEN \(mark(.id(ids.lowerBound))) AND \(mark(.id(ids.upperBound)))")
        }
        if let queue = query.queue { terms.append("job.queue = \(mark(.raw(queue)))") }
        if let type = query.type { terms.append("job.type = \(mark(.raw(type)))") }
        for label in query.labels {
            terms.append(
                "EXISTS (SELECT 1 FROM \(schema).label WHERE label.key = \(mark(.raw(label.key))) "
                    + "AND label.value = \(mark(.raw(label.value))) AND label.id = job.id)")
        }
        if let from = query.createdFrom { terms.append("job.created_at >= \(mark(.time(from)))") }
        if let before = query.createdBefore { terms.append("job.created_at < \(mark(.time(before)))") }
        return terms
    }

    private static func firstID(at time: Timestamp) -> JobID {
        JobID(high: UInt64(min(max(time.milliseconds, 0), 0xFFFF_FFFF_FFFF)) << 16, low: 0)
    }
}
