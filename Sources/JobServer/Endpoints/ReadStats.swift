import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/stats`: the numbers and times of ended jobs over time, in groups. Read off the loop.
enum ReadStats {
    private static let (groupsDefault, groupsMax): (Int64, Int64) = (10, 50)

    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let range = StatsRange(&query, now: context.startedAt)
        let facet = facet(query.text("by"), &query)
        let limit = query.number("limit", from: 1, to: groupsMax) ?? groupsDefault
        try query.finish()
        try context.onReaderThread { reader throws(Problem) in
            let all = try stored(
                reader.stats(by: .state, range.step, of: nil, from: range.from, before: range.to))
            let points =
                facet == .state
                ? all
                : try stored(reader.stats(by: facet, range.step, of: nil, from: range.from, before: range.to))
            var json = JSONWriter(capacity: 256 + Int(range.count) * 96)
            json.beginObject()
            range.append(to: &json)
            json.member("by", "\(facet)")
            append(all, range, to: &json)
            append(StatsSeries(points, in: range, limit: Int(limit)), to: &json)
            json.endObject()
            context.answer(.ok, json: json.line())
        }
    }

    private static func facet(_ word: String?, _ query: inout QueryReader) -> StatsFacet {
        guard let word else { return .state }
        if let facet = StatsFacet.shown.first(where: { "\($0)".hasSameBytes(as: word) }) { return facet }
        let known = StatsFacet.shown.map { "\($0)" }
        query.add(
            "by", code: "query.value", detail: "by must be one of \(known.joined(separator: ", "))",
            suggestion: SpellingSuggestion.nearest(to: word, in: known))
        return .state
    }

    /// Appends the sums of all ends: of the range and of each step.
    private static func append(_ points: [StatsPoint], _ range: StatsRange, to json: inout JSONWriter) {
        var sums = [StatsBin.Group](repeating: StatsBin.Group(), count: Int(range.count))
        var total = StatsBin.Group()
        for point in points {
            for group in point.bin.groups.values { sums[range.place(of: point.at)].add(group) }
            sums[range.place(of: point.at)].add(point.bin.rest)
        }
        for sum in sums { total.add(sum) }
        json.name("total")
        json.beginObject()
        StatsBody.append(total, to: &json)
        json.endObject()
        json.name("points")
        json.beginArray()
        for (at, sum) in zip(range.starts, sums) {
            json.beginObject()
            json.member("at", at)
            StatsBody.append(sum, to: &json)
            json.endObject()
        }
        json.endArray()
    }

    private static func append(_ series: StatsSeries, to json: inout JSONWriter) {
        json.name("groups")
        json.beginArray()
        for (value, line) in series.groups {
            json.beginObject()
            json.member("value", value.text)
            append(line, to: &json)
            json.endObject()
        }
        json.endArray()
        guard series.rest.sum.count > 0 else { return }
        json.name("other")
        json.beginObject()
        append(series.rest, to: &json)
        json.endObject()
    }

    private static func append(_ line: StatsSeries.Line, to json: inout JSONWriter) {
        StatsBody.append(line.sum, to: &json)
        StatsBody.append("counts", line.counts, to: &json)
        StatsBody.append("failed_counts", line.failedCounts, to: &json)
    }
}

/// The groups of several steps, each over time.
struct StatsSeries {
    /// One group over time.
    struct Line {
        var sum = StatsBin.Group()
        var counts: [Int64]
        var failedCounts: [Int64]

        init(points: Int) {
            counts = [Int64](repeating: 0, count: points)
            failedCounts = counts
        }

        mutating func add(_ group: StatsBin.Group, at place: Int) {
            sum.add(group)
            counts[place] += group.count
            failedCounts[place] += group.failed
        }
    }

    /// The largest groups, the largest first.
    private(set) var groups: [(value: ByteKey, line: Line)]
    /// All others together.
    private(set) var rest: Line

    /// Groups the ends of `points` by value. A line is long, and the values may be many: only those with the most ends
    /// have one of their own.
    /// - Parameter shows: selects values; nil selects all, with the ends whose values are not known any more.
    init(
        _ points: [StatsPoint], in range: StatsRange, limit: Int, shows: ((ByteKey) -> Bool)? = nil
    ) {
        let count = Int(range.count)
        var sums: [ByteKey: Int64] = [:]
        for point in points {
            for (value, group) in point.bin.groups { sums[value, default: 0] &+= group.count }
        }
        if let shows { sums = sums.filter { shows($0.key) } }
        let largest = sums.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
            .prefix(limit)
        groups = largest.map { ($0.key, Line(points: count)) }
        rest = Line(points: count)
        var places: [ByteKey: Int] = [:]
        for (place, group) in groups.enumerated() { places[group.value] = place }
        for point in points {
            let step = range.place(of: point.at)
            for (value, group) in point.bin.groups where sums[value] != nil {
                if let place = places[value] {
                    groups[place].line.add(group, at: step)
                } else {
                    rest.add(group, at: step)
                }
            }
            if shows == nil { rest.add(point.bin.rest, at: step) }
        }
    }
}

/// Statistics as members of JSON.
enum StatsBody {
    /// Appends the numbers and times of a group.
    static func append(_ group: StatsBin.Group, to json: inout JSONWriter) {
        json.member("count", group.count)
        json.member("failed", group.failed)
        append("start_delay_ms", group.startDelays, to: &json)
        append("duration_ms", group.durations, to: &json)
    }

    private static func append(_ name: String, _ spread: Spread, to json: inout JSONWriter) {
        guard let median = spread.percentile(500) else { return }
        json.name(name)
        json.beginObject()
        json.member("p50", median)
        json.member("p95", spread.percentile(950) ?? median)
        json.member("p99", spread.percentile(990) ?? median)
        json.endObject()
    }

    static func append(_ name: String, _ numbers: [Int64], to json: inout JSONWriter) {
        json.name(name)
        json.beginArray()
        for number in numbers { json.value(number) }
        json.endArray()
    }
}
