/// Warnings about cron expressions that mean something else than most people think.
struct CronAdvice {
    private let expression: CronExpression

    init(_ expression: CronExpression) { self.expression = expression }

    var warnings: [(code: String, detail: String)] {
        [aboutBothDays, aboutEveryMinute, aboutSteps(.minute, 60, "hour"), aboutSteps(.hour, 24, "day")]
            .compactMap(\.self)
    }

    private func text(_ field: CronExpression.Field) -> String { expression.text(of: field) }

    /// The same expression with another field.
    private func changed(
        _ field: CronExpression.Field, to text: String, open other: CronExpression.Field? = nil
    )
        -> String
    {
        var fields = expression.fields
        fields[field.rawValue] = text
        if let other { fields[other.rawValue] = "*" }
        return fields.joined(separator: " ")
    }

    private var aboutBothDays: (code: String, detail: String)? {
        let (day, weekday) = (text(.day), text(.weekday))
        guard !["*", "?"].contains(day), !["*", "?"].contains(weekday), !weekday.hasPrefix("+") else {
            return nil
        }
        let both = changed(.weekday, to: "+" + weekday)
        if expression.days.combination == .either {
            let nth = ["1-7": 1, "8-14": 2, "15-21": 3, "22-28": 4][day]
            let isOne = !weekday.utf8.contains { ",-/*#L".utf8.contains($0) }
            let instead =
                nth.map { isOne ? changed(.weekday, to: "\(weekday)#\($0)", open: .day) : both } ?? both
            return (
                "warning.cron_either",
                "It runs on each day of the month in \"\(day)\" and also on each weekday in \"\(weekday)\": cron takes "
                    + "either. For days that are both, write \"\(instead)\"."
            )
        }
        return (
            "warning.cron_both",
            "It runs on days that are in \"\(day)\" and in \"\(weekday)\": where a day field begins with \"*\", cron "
                + "takes both. Write \"\(both)\" to say so."
        )
    }

    /// `* 3 * * *`
    private var aboutEveryMinute: (code: String, detail: String)? {
        guard text(.minute) == "*", text(.hour) != "*" else { return nil }
        return (
            "warning.cron_every_minute",
            "It runs in every minute of the hours in \"\(text(.hour))\", \(expression.minutes.count) times a day. "
                + "For once an hour write \"\(changed(.minute, to: "0"))\"."
        )
    }

    /// Steps that do not divide their field: `*/45` is at 0 and 45.
    private func aboutSteps(_ field: CronExpression.Field, _ length: Int, _ whole: String)
        -> (code: String, detail: String)?
    {
        let parts = text(field).split(separator: "/")
        guard parts.count == 2, parts[0] == "*", let step = Int(parts[1]), length % step != 0 else {
            return nil
        }
        let values = stride(from: 0, to: length, by: step).map(String.init)
        let shown = values.count > 4 ? values.prefix(2) + ["…"] + values.suffix(1) : values[...]
        let unit = field == .minute ? "m" : "h"
        return (
            "warning.cron_step",
            "\"\(text(field))\" begins anew with every \(whole): it is \(shown.joined(separator: ", ")). For equal "
                + "steps write \"every\": \"\(step)\(unit)\"."
        )
    }
}
