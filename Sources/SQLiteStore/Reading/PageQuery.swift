import JobKit
import JobSpec
import JobStore

/// The statement that finds the jobs of one page, in order, by an index in that order.
///
/// It selects the job's number, its id, the time of its end (NULL when ordered by creation), and whether the job passes
/// the filters that the index does not cover. An index that holds the jobs of each state apart is read once per state,
/// and the parts are merged, so that no job in another state is read.
struct PageQuery {
    /// The index that finds the jobs; all other values are looked up per job.
    enum Lead: Hashable {
        case everything, name, namePrefix, key, error, host, status, queue, type, state, finish
        /// The queues of the tenant.
        case tenant
        /// The kinds of waits.
        case wait
        /// The wake keys of origins. Its rows are sorted, so it is for few.
        case origin
        /// The label at this position in the query.
        case label(Int)
    }

    private enum Value {
        case number(Int64), text(String), id(JobID)
    }

    /// Beyond this number of parts nothing is merged: then nearly everything is shown, and is read in its order.
    private static let partsMax = 64

    /// The queue whose jobs have no entries in `job_queue`.
    private static let defaultQueue = "default"

    private let query: JobListQuery
    private let lead: Lead
    private var values: [Value] = []
    private var parts: [String] = []

    /// - Parameters:
    ///   - types: the types that jobs have, for `Lead.state` and `Lead.wait` all and for `Lead.namePrefix` those with
    ///     the prefix.
    ///   - names: for `Lead.namePrefix`, the names with the prefix that jobs have.
    ///   - waits: for `Lead.wait`, the sets of kinds with the wanted one that jobs have.
    ///   - queues: for `Lead.tenant`, the queues of the tenant that have jobs.
    init(
        _ query: JobListQuery, by lead: Lead, types: [String] = [], names: [String] = [],
        queues: [String] = [],
        waits: [WaitKinds] = []
    ) {
        self.query = query
        let states = Self.states(of: query, by: lead)
        let parts =
            switch lead {
            case .state: states.count * types.count
            case .namePrefix: states.count * types.count + names.count
            case .wait: states.count * types.count + waits.count
            case .tenant: queues.count
            default: 1
            }
        self.lead = parts > Self.partsMax ? .everything : lead
        addParts(states, types, names, waits, queues)
    }

    /// The maximum number of names that `Lead.namePrefix` is worth looking for.
    static let namesMax = partsMax

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
        if query.type != nil { leads.append(.type) }
        if Self.waitKind(of: query) != nil { leads.append(.wait) }
        if !query.origins.isEmpty { leads.append(.origin) }
        if !query.states.isEmpty, query.type == nil { leads.append(.state) }
        return leads.isEmpty ? [.everything] : leads
    }

    var sql: String {
        let direction = query.ascending ? "ASC" : "DESC"
        let order = lead == .finish ? "3 \(direction), 2 \(direction)" : "2 \(direction)"
        return parts.joined(separator: " UNION ALL ") + " ORDER BY \(order)"
    }

    /// A statement that counts the rows that `sql` would examine, up to `most`.
    func counting(upTo most: Int) -> String {
        "SELECT count(*) FROM (SELECT 1 FROM (\(parts.joined(separator: " UNION ALL "))) LIMIT \(most))"
    }

    /// A statement that counts the rows that `sql` would examine, up to `most`, and those that pass, in groups.
    func grouping(by columns: [String], upTo most: Int) -> String {
        let group = columns.isEmpty ? "" : " GROUP BY " + columns.joined(separator: ", ")
        return "SELECT \((["count(*)", "total(found.fits)"] + columns).joined(separator: ", ")) "
            + "FROM (SELECT number, fits FROM (\(parts.joined(separator: " UNION ALL "))) LIMIT \(most)) AS found "
            + "CROSS JOIN job ON job.number = found.number\(group)"
    }

    /// Binds the values of the filters.
    func bind(to statement: SQLiteStatement) {
        for (index, value) in values.enumerated() {
            switch value {
            case .number(let number): statement.bind(Int32(index) + 1, number)
            case .text(let text): statement.bind(Int32(index) + 1, text)
            case .id(let id): statement.bind(Int32(index) + 1, id)
            }
        }
    }

    // MARK: Parts

    private mutating func mark(_ value: Value) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    /// The kind of wait by which a query is led.
    static func waitKind(of query: JobListQuery) -> WaitKinds? {
        query.waitKind ?? (query.origins.isEmpty ? nil : .origin)
    }

    /// The states that are read one by one.
    private static func states(of query: JobListQuery, by lead: Lead) -> [Int64] {
        if lead == .wait { return (waitKind(of: query)?.states ?? []).map(\.stored) }
        let all = JobState.allCases.filter { lead != .finish || $0.isFinal }
        return all.filter { query.states.isEmpty || query.states.contains($0) }.map(\.stored).sorted()
    }

    private mutating func addParts(
        _ states: [Int64], _ types: [String], _ names: [String], _ waits: [WaitKinds], _ queues: [String]
    ) {
        switch lead {
        case .everything: addPart("job INDEXED BY job_id", [])
        case .label(let place):
            let label = query.labels[place]
            let key = mark(.text(label.key))
            let value = mark(.text(label.value))
            addPart(
                "label AS first CROSS JOIN job ON job.id = first.id",
                ["first.key = \(key)", "first.value = \(value)"], id: "first.id")
        case .name:
            let name = mark(.text(query.name ?? ""))
            addPart("job INDEXED BY job_name", ["job.name = \(name)", "job.name <> job.type"])
            // A job without a name is named after its type.
            addParts("job_type", ["job.type = \(name)"], states, alsoFits: "job.name = \(name)")
        case .namePrefix:
            for name in names {
                let name = mark(.text(name))
                addPart("job INDEXED BY job_name", ["job.name = \(name)", "job.name <> job.type"])
            }
            for type in types {
                addParts(
                    "job_type", ["job.type = \(mark(.text(type)))"], states, alsoFits: "job.name = job.type")
            }
            if parts.isEmpty {
                addPart("job INDEXED BY job_name", ["job.name = ''", "job.name <> job.type"])
            }
        case .wait:
            for kinds in waits {
                addPart(
                    "job INDEXED BY job_wait", ["job.wait_kinds = \(kinds.rawValue)"],
                    alsoFits: Self.isSuspended)
            }
            let fits = Self.waitKind(of: query) == .unique ? Self.hasTurn : nil
            for type in types {
                addParts("job_type", ["job.type = \(mark(.text(type)))"], states, alsoFits: fits)
            }
            if parts.isEmpty { addPart("job INDEXED BY job_wait", ["job.wait_kinds = 0"]) }
        case .origin:
            let keys = wakeKeys()
            // A job that waits for two of them comes once.
            let isFirst = """
                NOT EXISTS (SELECT 1 FROM wake AS other WHERE other.number = first.number AND other.key IN (\(keys)) \
                AND other.key < first.key)
                """
            addPart(
                "wake AS first CROSS JOIN job ON job.number = first.number",
                ["first.key IN (\(keys))"] + (query.origins.count > 1 ? [isFirst] : []),
                alsoFits: Self.isSuspended)
        case .key: addPart("job INDEXED BY job_key", ["job.queue_key = \(mark(.text(query.queueKey ?? "")))"])
        case .error:
            addPart("job INDEXED BY job_error", ["job.error_code = \(mark(.text(query.errorCode ?? "")))"])
        case .host: addPart("job INDEXED BY job_host", hostTerms(query.call.host ?? ""))
        case .status: addPart("job INDEXED BY job_status", ["job.call_status = \(query.call.status ?? 0)"])
        case .queue: addQueue(query.queue ?? "")
        case .tenant:
            for queue in queues { addQueue(queue) }
            if queues.isEmpty { addQueue(query.tenant?.prefix ?? "") }
        case .type: addParts("job_type", ["job.type = \(mark(.text(query.type ?? "")))"], states)
        case .state:
            for type in types { addParts("job_type", ["job.type = \(mark(.text(type)))"], states) }
            if types.isEmpty { addParts("job_type", ["job.type = ''"], states) }
        case .finish:
            // The index has no jobs in other states.
            addParts("job_finished", ["job.finished_at IS NOT NULL"], states.isEmpty ? [-1] : states)
        }
    }

    private mutating func addQueue(_ queue: String) {
        addPart(
            "job INDEXED BY job_queue",
            ["job.queue = \(mark(.text(queue)))", "job.queue <> '\(Self.defaultQueue)'"])
    }

    private mutating func hostTerms(_ host: String) -> [String] {
        [
            "job.call_host \(host.isEmpty ? "IS NULL" : "= \(mark(.text(host)))")",
            "job.error_code IS NOT NULL",
        ]
    }

    /// The filters by the call that failed a job, which only jobs without success have.
    private mutating func callTerms() -> [String] {
        let call = query.call
        var terms: [String] = []
        if lead != .host, let host = call.host { terms += hostTerms(host) }
        if lead != .status, let status = call.status { terms.append("job.call_status IS \(status)") }
        if let method = call.method { terms.append("job.call_method IS \(mark(.text(method)))") }
        if let prefix = call.urlPrefix {
            terms.append(
                "ifnull(job.call_url >= \(mark(.text(prefix))) AND job.call_url < \(mark(.text(prefix.behindAll))), 0)"
            )
        }
        return terms
    }

    /// Whether a job is suspended: one that was, and runs again, has the kinds of its last waits.
    private static let isSuspended =
        "job.state IN (\(JobState.allCases.filter(\.isSuspended).map { String($0.stored) }.joined(separator: ", ")))"

    /// Whether a job waits for its unique key.
    private static let hasTurn = "job.ties & \(StoredJob.Flags.turn.rawValue) <> 0"

    private mutating func wakeKeys() -> String {
        query.origins.map { mark(.text(WakeKey.origin($0))) }.joined(separator: ", ")
    }

    /// Whether a job waits for something of a kind.
    private static func isWaiting(for kind: WaitKinds) -> String {
        let bits = "ifnull(job.wait_kinds, 0) & \(kind.rawValue) <> 0 AND \(isSuspended)"
        if kind.states.isEmpty { return bits }
        let states = kind.states.map { String($0.stored) }.joined(separator: ", ")
        return "(\(bits) OR job.state IN (\(states))\(kind == .unique ? " AND \(hasTurn)" : ""))"
    }

    private mutating func addParts(
        _ index: String, _ terms: [String], _ states: [Int64], alsoFits: String? = nil
    ) {
        let start = values.count
        for state in states {
            // All parts have the same values.
            values.removeLast(values.count - start)
            addPart("job INDEXED BY \(index)", terms + ["job.state = \(state)"], alsoFits: alsoFits)
        }
    }

    private mutating func addPart(
        _ source: String, _ terms: [String], id: String = "job.id", alsoFits: String? = nil
    ) {
        let isByFinish = lead == .finish
        let terms = terms + (isByFinish ? finishBounds() : idBounds(id))
        let fits = rest() + (alsoFits.map { [$0] } ?? [])
        let filter = terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ")
        parts.append(
            "SELECT job.number, \(id), \(isByFinish ? "job.finished_at" : "NULL"), "
                + "\(fits.isEmpty ? "1" : fits.joined(separator: " AND ")) AS fits FROM \(source)\(filter)")
    }

    /// Ids begin with the creation time, so times of creation bound the search. Of two bounds on one side only the
    /// narrower is written, so that SQLite uses that one for the index.
    private mutating func idBounds(_ id: String) -> [String] {
        var low = query.createdFrom.map { Self.firstID(at: $0) }
        var high = query.createdBefore.map { Self.firstID(at: $0) }
        if let ids = query.ids {
            low = max(low ?? ids.lowerBound, ids.lowerBound)
            high = min(high ?? ids.behind, ids.behind)
        }
        var terms: [String] = []
        if let after = query.after {
            if query.ascending, low.map({ $0 <= after }) ?? true {
                low = nil
                terms.append("\(id) > \(mark(.id(after)))")
            } else if !query.ascending, high.map({ $0 >= after }) ?? true {
                high = nil
                terms.append("\(id) < \(mark(.id(after)))")
            }
        }
        if let low { terms.append("\(id) >= \(mark(.id(low)))") }
        if let high { terms.append("\(id) < \(mark(.id(high)))") }
        return terms
    }

    private mutating func finishBounds() -> [String] {
        var low = query.finishedFrom
        var high = query.finishedBefore
        var terms: [String] = []
        if let after = query.after, let time = query.afterFinish {
            let place = "(\(mark(.number(time.milliseconds))), \(mark(.id(after))))"
            if query.ascending, low.map({ $0 <= time }) ?? true {
                low = nil
                terms.append("(job.finished_at, job.id) > \(place)")
            } else if !query.ascending, high.map({ $0 > time }) ?? true {
                high = nil
                terms.append("(job.finished_at, job.id) < \(place)")
            }
        }
        if let low { terms.append("job.finished_at >= \(mark(.number(low.milliseconds)))") }
        if let high { terms.append("job.finished_at < \(mark(.number(high.milliseconds)))") }
        return terms
    }

    /// The filters that the index does not cover.
    private mutating func rest() -> [String] {
        var terms: [String] = []
        if lead.isWithoutStates, !query.states.isEmpty {
            let numbers = query.states.map(\.stored).sorted().map(String.init).joined(separator: ", ")
            terms.append("job.state IN (\(numbers))")
        }
        if lead == .finish, let ids = query.ids {
            terms.append(
                "job.id BETWEEN \(mark(.id(ids.lowerBound))) AND \(mark(.id(ids.upperBound)))")
        }
        if lead != .namePrefix, let prefix = query.namePrefix {
            terms.append(
                "job.name >= \(mark(.text(prefix))) AND job.name < \(mark(.text(prefix.behindAll)))")
        }
        if lead != .key, let key = query.queueKey { terms.append("job.queue_key IS \(mark(.text(key)))") }
        if lead != .error, let code = query.errorCode {
            terms.append("job.error_code IS \(mark(.text(code)))")
        }
        terms += callTerms()
        if lead != .wait, let kind = query.waitKind { terms.append(Self.isWaiting(for: kind)) }
        if lead != .origin, !query.origins.isEmpty {
            terms.append(Self.isSuspended)
            terms.append(
                "EXISTS (SELECT 1 FROM wake WHERE key IN (\(wakeKeys())) AND number = job.number)")
        }
        if lead != .tenant, let tenant = query.tenant {
            let prefix = tenant.prefix
            terms.append(
                "job.queue >= \(mark(.text(prefix))) AND job.queue < \(mark(.text(prefix.behindAll)))")
        }
        if lead != .name, let name = query.name { terms.append("job.name = \(mark(.text(name)))") }
        if lead != .queue, let queue = query.queue { terms.append("job.queue = \(mark(.text(queue)))") }
        if lead != .type, let type = query.type { terms.append("job.type = \(mark(.text(type)))") }
        for (place, label) in query.labels.enumerated() where lead != .label(place) {
            terms.append(
                "EXISTS (SELECT 1 FROM label WHERE key = \(mark(.text(label.key))) "
                    + "AND value = \(mark(.text(label.value))) AND id = job.id)")
        }
        if let from = query.createdFrom {
            terms.append("job.created_at >= \(mark(.number(from.milliseconds)))")
        }
        if let before = query.createdBefore {
            terms.append("job.created_at < \(mark(.number(before.milliseconds)))")
        }
        return terms
    }

    private static func firstID(at time: Timestamp) -> JobID {
        JobID(high: UInt64(min(max(time.milliseconds, 0), 0xFFFF_FFFF_FFFF)) << 16, low: 0)
    }
}

extension String {
    /// A text behind all that begin with this one.
    var behindAll: String { self + "\u{10FFFF}" }
}

extension ClosedRange<JobID> {
    /// The id behind the range.
    fileprivate var behind: JobID {
        let (low, isOver) = upperBound.low.addingReportingOverflow(1)
        if !isOver { return JobID(high: upperBound.high, low: low) }
        let (high, isEnd) = upperBound.high.addingReportingOverflow(1)
        return isEnd ? upperBound : JobID(high: high, low: 0)
    }
}

extension PageQuery.Lead {
    /// Whether jobs of all states are adjacent in the index.
    fileprivate var isWithoutStates: Bool {
        switch self {
        case .everything, .label, .name, .namePrefix, .key, .error, .host, .status, .queue, .tenant, .wait,
            .origin:
            true
        case .type, .state, .finish: false
        }
    }
}
