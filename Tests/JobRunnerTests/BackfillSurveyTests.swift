import HTTPMessage
import JobKit
import JobSpec
import JobStore
import MemoryStore
import StrictJSON
import Testing

@Suite struct `A look at the range of a backfill` {
    private let store = MemoryJobStore()

    private func plan(_ rule: String) throws -> SchedulePlan {
        let value = try JSONParser.parse(Array(#"{\#(rule), "job": {"type": "value", "value": 1}}"#.utf8))
        return try ScheduleReader.read(
            value, name: "tick", now: Self.start, egress: EgressPolicy(), kinds: .none,
            templates: { _ in nil }
        ).get().plan
    }

    private static let start = Timestamp(milliseconds: 1_730_000_000_000)

    private func backfill(seconds: Int64) -> ScheduleProgress.Backfill {
        .init(
            from: Self.start, to: Self.start.advanced(by: .seconds(seconds)), only: .all, concurrency: 1,
            startedAt: Self.start, startedBy: "ada")
    }

    /// Looks to the end, and returns the number of slices.
    private func finish(_ survey: inout BackfillSurvey, _ plan: SchedulePlan) throws -> Int {
        let reader = try store.makeReader()
        var slices = 1
        var seen = 0
        while try survey.goOn(plan, of: "tick", at: Self.start, reader, reader) {
            #expect(survey.looked - seen <= BackfillSurvey.sliceMax)
            (seen, slices) = (survey.looked, slices + 1)
        }
        return slices
    }

    @Test func `counts no further than the limit, in slices`() throws {
        let plan = try plan(#""every": "1s""#)
        var survey = BackfillSurvey(backfill(seconds: 1_000_000_000), listing: 100)
        let slices = try finish(&survey, plan)
        #expect(survey.looked == BackfillTurn.plannedMax)
        #expect(slices == BackfillTurn.plannedMax / BackfillSurvey.sliceMax + 1)
        let limit = try #require(survey.limit)
        var within = BackfillSurvey(backfill(seconds: limit.since(Self.start).components.seconds))
        _ = try finish(&within, plan)
        #expect(within.limit == nil)
        #expect(within.looked == BackfillTurn.plannedMax)
    }

    @Test func `lists the first planned times that get a job, and whether there are more`() throws {
        var survey = BackfillSurvey(backfill(seconds: 5_000), listing: 3)
        _ = try finish(&survey, try plan(#""every": "1s", "except": ["2024-10-28"]"#))
        #expect(survey.times == (0..<3).map { Self.start.advanced(by: .seconds($0)) })
        #expect(survey.hasMore)
        var few = BackfillSurvey(backfill(seconds: 2), listing: 3)
        _ = try finish(&few, try plan(#""every": "1s""#))
        #expect(few.times.count == 3)
        #expect(!few.hasMore)
        var none = BackfillSurvey(backfill(seconds: 5_000), listing: 3)
        _ = try finish(&none, try plan(#""every": "1s", "except": ["2024-10-27"]"#))
        #expect(none.times.isEmpty)
        #expect(none.looked == 2 * 5_001)
    }
}
