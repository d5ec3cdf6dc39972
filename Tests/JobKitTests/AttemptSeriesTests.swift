import Testing

@testable import JobKit

@Suite struct `A series of attempts` {
    private let begin = Timestamp(milliseconds: 1_000)
    private let error = AOperationError(.unexpected, detail: "no")

    private func rule(
        _ verdict: RetryVerdict, attemptsMax: Int = 3, elapsedMax: Duration? = nil
    ) -> AttemptSeries.Rule {
        .init(attemptsMax: attemptsMax, elapsedMax: elapsedMax) { _, _ in verdict }
    }

    /// A series of this many failed attempts.
    private func series(_ count: Int) -> AttemptSeries {
        var series = AttemptSeries()
        for _ in 0..<count {
            series.advance()
            series.begin(at: begin, uptime: .seconds(5))
        }
        return series
    }

    private func next(
        _ series: AttemptSeries, _ rule: AttemptSeries.Rule, opening: Duration = .zero
    ) -> AttemptSeries.Next {
        series.next(
            after: error, by: rule, startedAt: begin, now: begin.advanced(by: .seconds(10)), spread: 0.5
        ) { $0.advanced(by: opening) }
    }

    @Test func `continues after the pause of the rule up to the limit`() {
        let rule = rule(.retry(after: .seconds(2)))
        #expect(next(series(2), rule) == .retry(after: .seconds(2), isPutOff: false))
        #expect(next(series(3), rule) == .stop("attempts"))
    }

    @Test func `ends for the reason of the rule`() {
        #expect(next(series(1), rule(.stop("policy"))) == .stop("policy"))
    }

    @Test func `is delayed by its origin, within the limit over all attempts`() {
        let short = rule(.retry(after: .seconds(2)), elapsedMax: .seconds(15))
        #expect(next(series(1), short, opening: .seconds(3)) == .retry(after: .seconds(5), isPutOff: true))
        #expect(next(series(1), short, opening: .seconds(4)) == .stop("breaker"))
    }

    @Test func `counts anew after an answer that is not the last`() {
        var series = series(2)
        series.restart()
        #expect(series.number == 2 && series.counted == 0 && series.polls == 1)
        #expect(series.startedAt(now: begin, uptime: .zero) == nil)
    }

    @Test func `begins at the time that the wall clock shows now for its beginning`() {
        let later = begin.advanced(by: .seconds(100))
        #expect(series(1).startedAt(now: later, uptime: .seconds(7)) == later.advanced(by: .seconds(-2)))
    }

    @Test func `polls up to the rule's limit, and respects requested pauses`() {
        let rule = OperationSettings.PollRule(wait: .fixed(.seconds(3)), pollsMax: 2)
        var series = series(1)
        series.restart()
        #expect(series.pause(by: rule, retryAfter: nil) == .seconds(3))
        #expect(series.pause(by: rule, retryAfter: .seconds(9)) == .seconds(9))
        series.restart()
        #expect(series.pause(by: rule, retryAfter: nil) == nil)
        #expect(series.pause(by: nil, retryAfter: nil) == nil)
    }
}
