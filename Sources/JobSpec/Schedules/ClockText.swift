internal import JobKit

/// Times as the clocks of a zone show them.
enum ClockText {
    /// RFC 3339 with the offset of the zone, such as `2026-03-29T03:00:00+02:00`.
    static func text(of moment: Timestamp, in zone: ZoneRules) -> String {
        let offset = zone.offset(at: moment.milliseconds.floored(by: 1_000))
        let shown = Timestamp(milliseconds: moment.milliseconds + offset * 1_000).description
        let minutes = abs(offset) / 60
        return shown.prefix(19) + (offset < 0 ? "-" : "+") + two(minutes / 60) + ":" + two(minutes % 60)
    }

    /// `02:30`, of seconds since 1970 without a zone.
    static func time(_ local: Int64) -> String {
        let minutes = (local - local.floored(by: 86_400) * 86_400) / 60
        return two(minutes / 60) + ":" + two(minutes % 60)
    }

    /// `2026-03-29`
    static func date(_ local: Int64) -> String {
        String(Timestamp(milliseconds: local * 1_000).description.prefix(10))
    }

    /// Up to three times, in words.
    static func times(_ locals: [Int64]) -> String {
        let shown = locals.prefix(3).map(time).joined(separator: ", ")
        return locals.count > 3 ? "\(shown) and \(locals.count - 3) more" : shown
    }

    private static func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
}
