import JobKit
import JobSpec
import JobStore

/// The statement that finds the jobs of one page, in order: an index in that order gives the first jobs, and each is
/// checked against the filters that the index does not cover.
struct PageQuery {
    /// The index that finds the jobs; all other values are looked up per job.
    enum Lead: Hashable {
        case everything, name, namePrefix, key, error, host, status, queue, type, state, finish
        /// The queues of the tenant.
        case tenant
        /// The kinds of waits.
        case wait
        /// The wake keys of origins.
        case origin
        /// The label at this position in the query.
        case label(Int)
    }

    private let query: JobListQuery
    private let lead: Lead
    private let schema: String
    private let most: Int
    /// The values of the parameters.
    private(set) var values: [PostgresValue] = []
    /// The statements that select ids and places, each by one index.
    private var parts: [String] = []

    /// The queue whose jobs have no entries in `job_queue`.
    private static let defaultQueue = "default"
    /// The maximum number of names that `Lead.namePrefix` is worth looking for.
    static let namesMax = 64

    /// - Parameters:
    ///   - most: the number of jobs that are examined.
    ///   - names: for `Lead.namePrefix`, the names with the prefix that jobs have, besides those of types.
    ///   - types: for `Lead.namePrefix`, the types with the prefix.
    ///   - waits: for `Lead.wait`, the sets of kinds with the wanted one that jobs have.
    ///   - queues: for `Lead.tenant`, the queues of the tenant that have jobs.
    init(
        _ query: JobListQuery, by lead: Lead, schema: String, most: Int, names: [String] = [],
        types: [String] = [], waits: [WaitKinds] = [], queues: [String] = []
    ) {
        self.query = query
        let parts = names.count + types.count + waits.count + queues.count
        self.lead = parts > Self.namesMax ? .everything : lead
        self.schema = schema
        self.most = most
        addParts(names, types, waits, queues)
    }

    /// The possible leads of a query, the most selective first.
    static func leads(for query: JobListQuery) -> [Lead] {
        if query.isByFinish { return [.finish] }
        // No job of another tenant is examined, so that neither places nor times say anything about it.
        if query.tenant != nil { return [query.queue == nil ? .tenant : .queue] }
        var leads: [Lead] = []
        if query.name != nil { leads.append(.name) }
        leads += query.labels.indices.map(Lead.label)
        if query.queueKey != nil { leads.append(.key) }
        if query.errorCode != nil { leads.append(.error) }
        if query.call.host != nil { leads.append(.host) }
        if query.call.status != nil { leads.append(.status) }
        if query.namePrefix != nil { leads.append(.namePrefix) }
        if let queue = query.queue, queue != defaultQueue { leads.append(.queue) }
        // Nearly all jobs have succeeded.
        if !query.states.isEmpty, !query.states.contains(.succeeded) { leads.append(.state) }
        if query.waitKind != nil { leads.append(.wait) }
        if !query.origins.isEmpty { leads.append(.origin) }
        if query.type != nil { leads.append(.type) }
        return leads.isEmpty ? [.everything] : leads
    }

    /// Selects the sets of kinds of waits that jobs have.
    static func waits(in schema: String) -> String {
        func next(_ bound: String) -> String {
            "SELECT wait_kinds FROM \(schema).ticket WHERE wait_kinds \(bound) ORDER BY wait_kinds LIMIT 1"
        }
        return LeapQuery.sql(first: next("> 0"), next: next("> leap.value"))
    }

    private var direction: String { query.ascending ? "ASC" : "DESC" }
    private var order: String { query.isByFinish ? "place \(direction), id \(direction)" : "id \(direction)" }

    /// Selects the id, the time of the end (NULL when ordered by creation), and whether the job passes.
    mutating func sql() -> String {
        "SELECT first.id, first.place, \(fits()) \(examined(ordered: true)) "
            + "ORDER BY \(query.isByFinish ? "first.place \(direction), " : "")first.id \(direction)"
    }

    /// A statement that counts the rows that `sql` would examine, up to `most`.
    func counting() -> String {
        let all = parts.map { "(\($0) LIMIT \(most))" }.joined(separator: " UNION ALL ")
        return "SELECT count(*) FROM (SELECT 1 FROM (\(all)) AS part LIMIT \(most)) AS first"
    }

    /// A statement that counts the rows that `sql` would examine, and those that pass, in groups.
    mutating func grouping(by keys: [JobCount.Key]) -> String {
        let columns = keys.map { key in
            switch key {
            case .state: "coalesce(ticket.state, ended.state)"
            case .queue: "job.queue"
            case .type: "job.type"
            }
        }
        let group = columns.isEmpty ? "" : " GROUP BY " + columns.joined(separator: ", ")
        let counts = ["count(*)", "count(*) FILTER (WHERE \(fits()))"]
        return "SELECT \((counts + columns).joined(separator: ", ")) \(examined(ordered: false))\(group)"
    }

    private mutating func fits() -> String {
        (["first.fits"] + rest()).joined(separator: " AND ")
    }

    /// The first `most` jobs that the lead finds, with their rows.
    private func examined(ordered: Bool) -> String {
        let order = ordered ? " ORDER BY \(order)" : ""
        let first = parts.map { "(\($0)\(order) LIMIT \(most))" }.joined(separator: " UNION ALL ")
        return """
            FROM (SELECT * FROM (\(first)) AS part\(order) LIMIT \(most)) AS first \
            JOIN \(schema).job ON job.id = first.id LEFT JOIN \(schema).ticket ON ticket.id = first.id \
            LEFT JOIN \(schema).ended ON ended.id = first.id
            """
    }

    private mutating func mark(_ value: PostgresValue) -> String {
        values.append(value)
        return "$\(values.count)"
    }

    // MARK: Parts

    private mutating func addParts(
        _ names: [String], _ types: [String], _ waits: [WaitKinds], _ queues: [String]
    ) {
        switch lead {
        case .everything: addPart("job", [])
        case .label(let place):
            let label = query.labels[place]
            addPart("label", ["key = \(mark(.raw(label.key)))", "value = \(mark(.raw(label.value)))"])
        case .name:
            let name = mark(.raw(query.name))
            addPart("job", ["name = \(name)", "name <> type"])
            // A job without a name is named after its type.
            addPart("job", ["type = \(name)"], fits: "name = type")
        case .namePrefix:
            for name in names { addPart("job", ["name = \(mark(.raw(name)))", "name <> type"]) }
            for type in types { addPart("job", ["type = \(mark(.raw(type)))"], fits: "name = type") }
        case .key: addPart("job", ["queue_key = \(mark(.raw(query.queueKey)))"])
        case .error: addPart("ended", ["error_code = \(mark(.raw(query.errorCode)))"])
        case .host:
            let host = hostTerm(query.call.host ?? "")
            addPart("ended", [host, "error_code IS NOT NULL"])
        case .status: addPart("ended", ["call_status = \(query.call.status ?? 0)"])
        case .queue: addQueue(query.queue ?? "")
        case .tenant: for queue in queues { addQueue(queue) }
        case .type: addPart("job", ["type = \(mark(.raw(query.type)))"])
        case .state: addStates(query.states)
        case .wait:
            for kinds in waits { addPart("ticket", ["wait_kinds = \(kinds.rawValue)"]) }
            let states = query.waitKind?.states ?? []
            // A suspended job that has the kind among others comes once, by its kinds.
            addOpen(states, besides: waits)
        case .origin:
            var earlier: [String] = []
            for origin in Set(query.origins) {
                let key = mark(.raw(WakeKey.origin(origin)))
                // A job that waits for two of them comes once.
                let isNew = earlier.isEmpty ? [] : [Self.isFirst(in: schema, besides: earlier)]
                addPart("wake", ["key = \(key)"] + isNew)
                earlier.append(key)
            }
        case .finish: parts += byFinish()
        }
        if parts.isEmpty { addPart("job", ["false"]) }
    }

    private mutating func addQueue(_ queue: String) {
        addPart("job", ["queue = \(mark(.raw(queue)))", "queue <> '\(Self.defaultQueue)'"])
    }

    private static func isFirst(in schema: String, besides keys: [String]) -> String {
        """
        NOT EXISTS (SELECT 1 FROM \(schema).wake AS other WHERE other.id = wake.id \
        AND other.key IN (\(keys.joined(separator: ", "))))
        """
    }

    private mutating func addPart(_ table: String, _ terms: [String], fits: String = "true") {
        let terms = terms + idBounds().map { "id \($0)" }
        let filter = terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ")
        parts.append("SELECT id, NULL::bigint AS place, \(fits) AS fits FROM \(schema).\(table)\(filter)")
    }

    private mutating func addStates(_ states: Set<JobState>) {
        for state in states.map(\.stored).sorted() where state > JobState.succeeded.stored {
            addPart("ended", ["state = \(state)", "state <> \(JobState.succeeded.stored)"])
        }
        addOpen(states.filter { !$0.isFinal })
    }

    /// Adds the unfinished jobs in some states, without those that have one of these sets of kinds of waits.
    private mutating func addOpen(_ states: some Collection<JobState>, besides waits: [WaitKinds] = []) {
        if states.isEmpty { return }
        let kinds = waits.map { String($0.rawValue) }.joined(separator: ", ")
        addPart(
            "ticket",
            ["state IN (\(Self.numbers(states)))"]
                + (kinds.isEmpty ? [] : ["(wait_kinds IS NULL OR wait_kinds NOT IN (\(kinds)))"]))
    }

    private static func numbers(_ states: some Collection<JobState>) -> String {
        states.map(\.stored).sorted().map(String.init).joined(separator: ", ")
    }

    private mutating func byFinish() -> [String] {
        let bounds = finishBounds()
        func part(_ terms: [String]) -> String {
            let terms = terms + bounds
            return "SELECT id, finished_at AS place, true AS fits FROM \(schema).ended"
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

    private static let isSuspended = "ticket.state IN (\(numbers(JobState.allCases.filter(\.isSuspended))))"

    /// Whether a job waits for something of a kind.
    private static func isWaiting(for kind: WaitKinds) -> String {
        let bits = "(coalesce(ticket.wait_kinds, 0) & \(kind.rawValue) <> 0 AND \(isSuspended))"
        if kind.states.isEmpty { return bits }
        let turn = kind == .unique ? " AND ticket.flags & \(StoredJob.Flags.turn.rawValue) <> 0" : ""
        return "(\(bits) OR ticket.state IN (\(numbers(kind.states)))\(turn))"
    }

    private mutating func hostTerm(_ host: String) -> String {
        "call_host \(host.isEmpty ? "IS NULL" : "= \(mark(.raw(host)))")"
    }

    /// The filters by the call that failed a job, which only jobs without success have.
    private mutating func callTerms() -> [String] {
        let call = query.call
        if call.isEmpty { return [] }
        var terms = ["ended.error_code IS NOT NULL"]
        if let host = call.host { terms.append("ended." + hostTerm(host)) }
        if let status = call.status { terms.append("ended.call_status = \(status)") }
        if let method = call.method { terms.append("ended.call_method = \(mark(.raw(method)))") }
        if let prefix = call.urlPrefix {
            terms.append(
                "substring(ended.call_url from 1 for \(prefix.utf8.count)) = \(mark(.raw(prefix)))")
        }
        return terms
    }

    /// All filters, for the jobs that were found.
    private mutating func rest() -> [String] {
        var terms: [String] = []
        if !query.states.isEmpty {
            let numbers = query.states.map(\.stored).sorted().map(String.init).joined(separator: ", ")
            terms.append("coalesce(ticket.state, ended.state) IN (\(numbers))")
        }
        if let kind = query.waitKind { terms.append(Self.isWaiting(for: kind)) }
        if !query.origins.isEmpty {
            let keys = query.origins.map { mark(.raw(WakeKey.origin($0))) }.joined(separator: ", ")
            terms.append(Self.isSuspended)
            terms.append(
                "EXISTS (SELECT 1 FROM \(schema).wake WHERE wake.key IN (\(keys)) AND wake.id = job.id)")
        }
        if let name = query.name { terms.append("job.name = \(mark(.raw(name)))") }
        if let key = query.queueKey { terms.append("job.queue_key = \(mark(.raw(key)))") }
        if let code = query.errorCode { terms.append("ended.error_code = \(mark(.raw(code)))") }
        terms += callTerms()
        if let prefix = query.namePrefix {
            terms.append("substring(job.name from 1 for \(prefix.utf8.count)) = \(mark(.raw(prefix)))")
        }
        if let ids = query.ids {
            terms.append("job.id BETWEEN \(mark(.id(ids.lowerBound))) AND \(mark(.id(ids.upperBound)))")
        }
        if let queue = query.queue { terms.append("job.queue = \(mark(.raw(queue)))") }
        if lead != .tenant, let prefix = query.tenant?.prefix {
            terms.append("substring(job.queue from 1 for \(prefix.utf8.count)) = \(mark(.raw(prefix)))")
        }
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
