import JobKit
import JobStore

// DESIGN
// A row for each end, or for each commit, would have every commit write a page more. So the ends that are not counted
// are found by the index of ends: `counted` is the place of the last one that is. All writes come from one thread, and
// an end that this order would miss is noted in `ending` by the transaction that makes it so: one whose place is before
// `counted`, since its commit came late, and one behind it whose job is retried or erased.

/// The statistics, and the ends that are not counted yet.
final class StatsTable: StatsRows {
    private let connection: SQLiteConnection
    private let scan: EndedScan
    /// The place up to which ends are counted.
    private var counted: EndedScan.Place
    private var countedBefore: EndedScan.Place
    /// Whether the open transaction removed ends that were noted: perhaps those of erased jobs.
    private(set) var hasErased = false
    /// The ends that are read at a time, since few may be taken.
    private static let scanMax = 200

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        scan = try EndedScan(connection)
        counted = try Self.counted(connection)
        countedBefore = counted
    }

    /// The place up to which ends are counted, as it is stored.
    static func counted(_ connection: SQLiteConnection) throws(SQLiteFailure) -> EndedScan.Place {
        let row = try connection.prepare("SELECT at, id FROM counted")
        defer { row.reset() }
        guard try row.step() else { throw .damaged("the table counted is empty") }
        return EndedScan.Place(at: Timestamp(milliseconds: row.integer(0)), id: row.id(1))
    }

    func begin() { (countedBefore, hasErased) = (counted, false) }

    func rollback() { counted = countedBefore }

    // MARK: Ends

    /// Notes the ends that the order of ends would miss after a transition.
    func follow(_ job: JobRecord, from before: JobRecord) throws(SQLiteFailure) {
        if job.state.isFinal {
            guard !before.state.isFinal, let place = EndedScan.Place(job), place <= counted else { return }
            try note(job)
        } else if before.state.isFinal {
            try noteLoss(of: before)
        }
    }

    /// Notes the end of a job that is retried or erased, if it is not counted.
    func noteLoss(of job: JobRecord) throws(SQLiteFailure) {
        guard let place = EndedScan.Place(job), place > counted else { return }
        try note(job)
    }

    private func note(_ job: JobRecord) throws(SQLiteFailure) {
        guard let end = EndFacts(job) else { return }
        let insert = try connection.prepare("INSERT INTO ending (body) VALUES (?1)")
        insert.bind(1, EndFacts.encoded([end]))
        try insert.run()
    }

    func take(
        until time: Timestamp, limit: Int
    ) throws(SQLiteFailure) -> (ends: [EndFacts], isMore: Bool) {
        var places = CountedPlaces()
        var ends = try takeNoted(limit: limit, &places)
        if ends.count >= limit || places.isFull { return (ends, true) }
        let before = counted
        var isMore = true
        while isMore, ends.count < limit {
            let found = try scan.ends(
                after: counted, until: time, limit: min(Self.scanMax, limit - ends.count))
            let taken = found.ends.prefix { places.take($0) }
            if let last = taken.last { counted = EndedScan.Place(at: last.at, id: last.id) }
            ends += taken
            isMore = found.isMore
            if taken.count < found.ends.count {
                isMore = true
                break
            }
        }
        if counted != before {
            let put = try connection.prepare("UPDATE counted SET at = ?1, id = ?2")
            put.bind(1, counted.at)
            put.bind(2, counted.id)
            try put.run()
        }
        return (ends, isMore)
    }

    private func takeNoted(limit: Int, _ places: inout CountedPlaces) throws(SQLiteFailure) -> [EndFacts] {
        let rows = try connection.prepare("SELECT number, body FROM ending ORDER BY number")
        defer { rows.reset() }
        var ends: [EndFacts] = []
        var last: Int64?
        while ends.count < limit, !places.isFull, try rows.step() {
            let noted = EndFacts.decoded(rows.bytes(1))
            places.take(all: noted)
            ends += noted
            last = rows.integer(0)
        }
        guard let last else { return [] }
        rows.reset()
        let delete = try connection.prepare("DELETE FROM ending WHERE number <= ?1")
        delete.bind(1, last)
        try delete.run()
        hasErased = true
        return ends
    }

    // MARK: Bins

    func bins(_ keys: [StatsKey]) throws(SQLiteFailure) -> [StatsKey: StoredBin] {
        let row = try connection.prepare(
            "SELECT body, is_open FROM stats WHERE step = ?1 AND facet = ?2 AND tenant = ?3 AND at = ?4")
        var found: [StatsKey: StoredBin] = [:]
        for key in keys {
            Self.bind(key, to: row)
            defer { row.reset() }
            if try row.step() { found[key] = StoredBin(bytes: row.bytes(0), isOpen: row.integer(1) != 0) }
        }
        return found
    }

    func put(_ bins: [StatsKey: StoredBin]) throws(SQLiteFailure) {
        let put = try connection.prepare(
            """
            INSERT INTO stats (step, facet, tenant, at, is_open, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
            ON CONFLICT DO UPDATE SET is_open = excluded.is_open, body = excluded.body
            """)
        for (key, bin) in bins.sorted(by: { $0.key < $1.key }) {
            Self.bind(key, to: put)
            put.bind(5, bin.isOpen ? Int64(1) : 0)
            put.bind(6, bin.bytes)
            try put.run()
        }
    }

    func over(at now: Timestamp, limit: Int) throws(SQLiteFailure) -> [StatsKey: StoredBin] {
        let rows = try connection.prepare(
            """
            SELECT facet, tenant, at, body FROM stats INDEXED BY stats_open \
            WHERE is_open = 1 AND step = ?1 AND at < ?2 LIMIT ?3
            """)
        var found: [StatsKey: StoredBin] = [:]
        for step in StatsStep.allCases where found.count < limit {
            rows.bind(1, step.rawValue)
            rows.bind(2, StatsKey.overBefore(now, step))
            rows.bind(3, Int64(limit - found.count))
            defer { rows.reset() }
            while try rows.step() {
                guard let facet = StatsFacet(rawValue: rows.integer(0)) else { continue }
                let key = StatsKey(
                    step: step, facet: facet, tenant: rows.text(1),
                    at: Timestamp(milliseconds: rows.integer(2)))
                found[key] = StoredBin(bytes: rows.bytes(3), isOpen: true)
            }
        }
        return found
    }

    func remove(before time: Timestamp, limit: Int) throws(SQLiteFailure) -> Int {
        let delete = try connection.prepare(
            """
            DELETE FROM stats WHERE (step, facet, tenant, at) IN (SELECT step, facet, tenant, at FROM stats \
            INDEXED BY stats_age WHERE step = ?1 AND at < ?2 LIMIT ?3)
            """)
        var count = 0
        for step in StatsStep.allCases where count < limit {
            delete.bind(1, step.rawValue)
            delete.bind(2, step.oldest(at: time))
            delete.bind(3, Int64(limit - count))
            try delete.run()
            count += connection.changedRows
        }
        return count
    }

    private static func bind(_ key: StatsKey, to statement: SQLiteStatement) {
        statement.bind(1, key.step.rawValue)
        statement.bind(2, key.facet.rawValue)
        statement.bind(3, key.tenant)
        statement.bind(4, key.at)
    }
}
