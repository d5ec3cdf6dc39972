import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// The steps of time that a request for statistics is about.
struct StatsRange: Sendable {
    let step: StatsStep
    let from: Timestamp
    /// The end of the last step.
    let to: Timestamp
    /// The most steps of an answer: all minutes that are kept.
    static let pointsMax: Int64 = 1_500
    /// The span without `from`.
    private static let spanDefault: Int64 = 3_600_000

    /// Takes `from`, `to` and `step`.
    init(_ query: inout QueryReader, now: Timestamp) {
        let to = Self.time("to", &query) ?? now
        let from =
            Self.time("from", &query) ?? Timestamp(milliseconds: to.milliseconds - Self.spanDefault)
        let span = to.milliseconds - from.milliseconds
        let fitting: StatsStep = span <= 3 * 3_600_000 ? .minute : span <= 7 * 86_400_000 ? .hour : .day
        let step = Self.step(query.text("step"), &query) ?? fitting
        self.step = step
        self.from = step.start(of: from)
        let last = step.start(of: Timestamp(milliseconds: to.milliseconds - 1))
        self.to = Timestamp(milliseconds: last.milliseconds + step.milliseconds)
        if from >= to {
            query.add(
                "from", code: "query.value",
                detail: "from must be before to, which is \(to)\(to == now ? ", now" : "")")
        } else if count > Self.pointsMax {
            query.add(
                "step", code: "query.value",
                detail:
                    "there are \(count) steps from from to to, of at most \(Self.pointsMax): take a longer step",
                suggestion: step == .minute ? "hour" : "day")
        }
    }

    /// The number of steps.
    var count: Int64 { (to.milliseconds - from.milliseconds) / step.milliseconds }

    /// The beginnings of all steps.
    var starts: [Timestamp] {
        (0..<count).map { Timestamp(milliseconds: from.milliseconds + $0 * step.milliseconds) }
    }

    /// The place of a step among all.
    func place(of at: Timestamp) -> Int {
        Int((at.milliseconds - from.milliseconds) / step.milliseconds)
    }

    /// Appends the range to an answer.
    func append(to json: inout JSONWriter) {
        json.member("from", from)
        json.member("to", to)
        json.member("step", "\(step)")
    }

    private static func time(_ name: String, _ query: inout QueryReader) -> Timestamp? {
        guard let text = query.text(name) else { return nil }
        do throws(TimestampTextError) { return try Timestamp.parse(text) } catch {
            query.add(name, code: "query.value", detail: "\(name): \(error.detail)")
            return nil
        }
    }

    private static func step(_ word: String?, _ query: inout QueryReader) -> StatsStep? {
        guard let word else { return nil }
        if let step = StatsStep(word) { return step }
        let known = StatsStep.allCases.map { "\($0)" }
        query.add(
            "step", code: "query.value", detail: "step must be \(known.joined(separator: ", "))",
            suggestion: SpellingSuggestion.nearest(to: word, in: known))
        return nil
    }
}
