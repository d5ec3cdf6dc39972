internal import JobKit

/// Five fields, as cron reads them: `minute hour day month weekday`.
///
/// Values, names, lists, ranges and steps are those of Vixie cron, with `L`, `W` and `#` of the Open Cron Pattern
/// Specification and its `+`, which asks for both day fields. `@daily` and the like are short for five fields.
package struct CronExpression: Sendable, Hashable {
    /// The five fields in one text.
    package let text: String
    /// The texts of the fields, those of `@daily` written out.
    package let fields: [String]
    package let days: DayRule
    /// Minutes after midnight, in order.
    package let minutes: [Int]

    package enum Field: Int, Sendable, CaseIterable {
        case minute, hour, day, month, weekday
    }

    /// A text that is no cron expression.
    package struct Failure: Error, Sendable, Hashable {
        package let detail: String
        /// The whole expression, corrected, where its meaning is clear.
        package let suggestion: String?
    }

    package init(_ text: String) throws(Failure) {
        let fields = try Self.fields(of: text)
        var readers: [CronFieldReader] = []
        for field in Field.allCases {
            var reader = CronFieldReader(field)
            do throws(CronFieldReader.Failure) { try reader.read(fields[field.rawValue]) } catch {
                var corrected = fields
                if let instead = error.instead { corrected[field.rawValue] = instead }
                throw Failure(
                    detail: error.detail,
                    suggestion: error.instead == nil ? nil : corrected.joined(separator: " "))
            }
            readers.append(reader)
        }
        self.text = fields.joined(separator: " ")
        self.fields = fields
        let hours = readers[1].values
        let inHour = readers[0].values
        minutes = hours.flatMap { hour in inHour.map { Int(hour * 60 + $0) } }
        days = Self.days(fields, readers)
    }

    /// The times that the expression describes.
    package var times: CalendarTimes { CalendarTimes(days: days, minutes: minutes, isRepeating: isRepeating) }

    /// Whether minute or hour have a wildcard or a step.
    package var isRepeating: Bool { fields[0...1].contains { $0.utf8.contains { "*/".utf8.contains($0) } } }

    package func text(of field: Field) -> String { fields[field.rawValue] }

    /// Whether a day field leaves the choice to the other one: cron looks at the first character only, so that `*/2` in
    /// one field and `MON` in the other ask for both.
    package func isOpen(_ field: Field) -> Bool { "*?".contains(text(of: field).prefix(1)) }

    private static func days(_ fields: [String], _ readers: [CronFieldReader]) -> DayRule {
        var rule = DayRule()
        rule.months = readers[3].values.reduce(0) { $0 | 1 << UInt16($1) }
        let (day, weekday) = (fields[2], fields[4])
        if !["*", "?"].contains(day) {
            rule.days = readers[2].values.map { .day($0) } + readers[2].monthDays
        }
        if !["*", "?", "+*"].contains(weekday) {
            rule.weekdays = readers[4].values.map { .every($0) } + readers[4].weekdays
        }
        let areBoth = "*?".contains(day.prefix(1)) || "*?+".contains(weekday.prefix(1))
        rule.combination = areBoth ? .both : .either
        return rule
    }

    private static let short = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
    ]

    private static func fields(of text: String) throws(Failure) -> [String] {
        guard text.utf8.count <= 256 else {
            throw Failure(detail: "A cron expression has at most 256 bytes.", suggestion: nil)
        }
        let words = text.split { $0 == " " || $0 == "\t" }.map(String.init)
        if let first = words.first, first.hasPrefix("@") {
            if words.count == 1, let fields = short[first] { return Self.split(fields) }
            let known = short.keys.sorted().joined(separator: ", ")
            let isReboot = first.lowercased() == "@reboot"
            throw Failure(
                detail: isReboot
                    ? "A schedule has no start of a machine to wait for. There are: \(known)."
                    : "There is no \(String(quotable: first)). There are: \(known).",
                suggestion: short.keys.contains(first.lowercased()) ? first.lowercased() : nil)
        }
        if words.count == 5 { return words }
        let order = "minute, hour, day of the month, month, weekday"
        let count = words.count == 1 ? "one field" : "\(words.count) fields"
        var detail = "A cron expression has five fields (\(order)), this one has \(count)."
        if words.count > 5 { detail += " There are none for seconds and years." }
        throw Failure(detail: detail, suggestion: suggestion(for: words))
    }

    /// Missing fields are those at the end; a sixth one is that of the seconds.
    private static func suggestion(for words: [String]) -> String? {
        if (1...4).contains(words.count) {
            return (words + Array(repeating: "*", count: 5 - words.count)).joined(separator: " ")
        }
        guard words.count == 6, words[0] == "0" else { return nil }
        return words.dropFirst().joined(separator: " ")
    }

    private static func split(_ fields: String) -> [String] { fields.split(separator: " ").map(String.init) }
}
