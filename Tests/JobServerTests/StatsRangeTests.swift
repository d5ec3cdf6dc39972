import JobKit
@testable import JobServer
import JobStore
import StrictJSON
import Testing

@Suite struct `The range of statistics` {
    private let now = Timestamp(milliseconds: 1_800_000_030_500)

    private func range(_ parameters: (String, String)...) throws -> StatsRange {
        var reader = QueryReader(parameters.map { (name: $0.0, value: $0.1) })
        let range = StatsRange(&reader, now: now)
        try reader.finish()
        return range
    }

    private func places(_ parameters: (String, String)...) -> [String] {
        var reader = QueryReader(parameters.map { (name: $0.0, value: $0.1) })
        _ = StatsRange(&reader, now: now)
        return reader.items.map(\.place.text)
    }

    @Test func `is the last hour in minutes, with the one that lasts`() throws {
        let range = try range()
        #expect(range.step == .minute)
        #expect(range.to == Timestamp(milliseconds: 1_800_000_060_000))
        #expect(range.count == 61)
        #expect(range.starts.first == range.from && range.place(of: range.from) == 0)
    }

    @Test(arguments: [
        ("2027-01-15T05:00:30.500Z", StatsStep.minute), ("2027-01-15T05:00:30Z", .hour),
        ("2027-01-08T08:00:30.500Z", .hour), ("2027-01-08T08:00:30Z", .day),
    ])
    func `has a step that fits its length`(_ from: String, _ step: StatsStep) throws {
        #expect(try range(("from", from)).step == step)
    }

    @Test func `ends before the step that begins at its end`() throws {
        let range = try range(
            ("from", "2027-01-01T00:00:00Z"), ("to", "2027-01-02T00:00:00Z"), ("step", "hour"))
        #expect(range.count == 24)
    }

    @Test func `is neither empty nor longer than an answer, and names each mistake`() {
        #expect(places(("from", "2027-01-02T00:00:00Z"), ("to", "2027-01-01T00:00:00Z")) == ["from"])
        #expect(places(("from", "2026-01-01T00:00:00Z"), ("step", "minute")) == ["step"])
        #expect(places(("step", "week"), ("to", "soon")) == ["to", "step"])
    }
}

@Suite struct `Statistics over time` {
    private let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// Three minutes: `often` ends in each, and each minute has a name of its own.
    private func series(limit: Int, shows: ((ByteKey) -> Bool)? = nil) throws -> StatsSeries {
        var reader = QueryReader([(name: "from", value: "2027-01-15T08:00:00Z")])
        let range = StatsRange(&reader, now: Timestamp(milliseconds: start.milliseconds + 180_000))
        try reader.finish()
        let points = (0..<3).map { minute in
            var bin = StatsBin()
            for (name, count) in [("often", Int64(5)), ("once-\(minute)", 1)] {
                var group = StatsBin.Group()
                group.count = count
                bin.add(group, to: name)
            }
            let at = Timestamp(milliseconds: start.milliseconds + Int64(minute) * 60_000)
            return StatsPoint(at: at, bin: bin)
        }
        return StatsSeries(points, in: range, limit: limit, shows: shows)
    }

    @Test func `have a line for each of the largest groups and one for all others`() throws {
        let series = try series(limit: 2)
        #expect(series.groups.map(\.value.text) == ["often", "once-0"])
        #expect(series.groups.map(\.line.counts) == [[5, 5, 5], [1, 0, 0]])
        #expect(series.rest.counts == [0, 1, 1])
        #expect(series.rest.sum.count == 2)
    }

    @Test func `count only the groups that are wanted`() throws {
        let series = try series(limit: 1) { !$0.text.hasSameBytes(as: "often") }
        #expect(series.groups.map(\.value.text) == ["once-0"])
        #expect(series.rest.counts == [0, 1, 1])
    }
}
