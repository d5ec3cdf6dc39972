import JobKit
@testable import JobServer
import JobStore
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
