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
            append(StatsSeries(points, in: range), limit: Int(limit), to: &json)
            json.endObject()
            context.answer(.ok, json: json.line())
        }
    }

    private static func facet(_ word: String?, _ query: inout QueryReader) -> StatsFacet {
        guard let word else { return .state }
        if let facet = StatsFacet.shown.first(where: { "\($0)".hasSameBytes(as: word) }) { return facet }
        let known = StatsFacet.shown.map { "\($0)" }
        query.add(
            "by", code: "query.value", detail: "by must be \(known.joined(separator: ", "))",
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

    private static func append(_ series: StatsSeries, limit: Int, to json: inout JSONWriter) {
        let ordered = series.ordered
        json.name("groups")
        json.beginArray()
        for (value, line) in ordered.prefix(limit) {
            json.beginObject()
            json.member("value", value.text)
            append(line, to: &json)
            json.endObject()
        }
        json.endArray()
        var other = series.rest
        for (_, line) in ordered.dropFirst(limit) { other.add(line) }
        guard other.sum.count > 0 else { return }
        json.name("other")
        json.beginObject()
        append(other, to: &json)
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

        mutating func add(_ other: Line) {
            sum.add(other.sum)
            for place in counts.indices {
                counts[place] += other.counts[place]
                failedCounts[place] += other.failedCounts[place]
            }
        }
    }

    private(set) var lines: [ByteKey: Line] = [:]
    private(set) var rest: Line

    init(_ points: [StatsPoint], in range: StatsRange) {
        let count = Int(range.count)
        rest = Line(points: count)
        for point in points {
            let place = range.place(of: point.at)
            for (value, group) in point.bin.groups {
                lines[value, default: Line(points: count)].add(group, at: place)
            }
            rest.add(point.bin.rest, at: place)
        }
    }

    /// The groups, the largest first.
    var ordered: [(key: ByteKey, value: Line)] {
        lines.sorted {
            $0.value.sum.count == $1.value.sum.count
                ? $0.key < $1.key : $0.value.sum.count > $1.value.sum.count
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
