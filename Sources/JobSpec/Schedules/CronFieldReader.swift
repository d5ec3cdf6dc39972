internal import JobKit

/// Reads one field of a cron expression.
struct CronFieldReader {
    /// A field that cannot be read.
    struct Failure: Error {
        let detail: String
        /// The field, corrected.
        var instead: String?
    }

    private let field: CronExpression.Field
    private let range: ClosedRange<Int64>
    private let names: [String]
    /// The name of the field in texts.
    private let title: String
    private var chosen: Set<Int64> = []
    /// The days that are not plain numbers; of the field of days.
    private(set) var monthDays: [DayRule.MonthDay] = []
    /// The weekdays of certain weeks; of the field of weekdays.
    private(set) var weekdays: [DayRule.MonthWeekday] = []

    /// The plain values in order; of weekdays 0…6.
    var values: [Int64] { chosen.sorted() }

    init(_ field: CronExpression.Field) {
        self.field = field
        switch field {
        case .minute: (range, names, title) = (0...59, [], "minute")
        case .hour: (range, names, title) = (0...23, [], "hour")
        case .day: (range, names, title) = (1...31, [], "day of the month")
        case .month:
            (range, title) = (1...12, "month")
            names = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
        case .weekday:
            (range, names, title) = (0...7, ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"], "weekday")
        }
    }

    mutating func read(_ text: String) throws(Failure) {
        var text = Substring(text)
        if field == .weekday && text.first == "+" { text = text.dropFirst() }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        for part in parts {
            do throws(Failure) { try readPart(part) } catch {
                let corrected = error.instead.map { instead in
                    parts.map { $0 == part ? instead : String($0) }.joined(separator: ",")
                }
                throw Failure(
                    detail: "In the field \(title) (\"\(String(quotable: String(text)))\"): \(error.detail)",
                    instead: corrected)
            }
        }
    }

    private mutating func readPart(_ part: Substring) throws(Failure) {
        if part.isEmpty { throw Failure(detail: "there is nothing beside a comma.") }
        if try readDay(part) { return }
        let halves = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let isWhole = halves[0] == "*" || halves[0] == "?" && (field == .day || field == .weekday)
        let bounds = isWhole ? whole : try self.bounds(halves[0])
        guard halves.count == 2 else { return choose(bounds, step: 1) }
        guard let step = Self.number(halves[1]), step > 0 else {
            throw Failure(detail: "the step after \"/\" is a whole number from 1 up.")
        }
        guard isWhole || halves[0].contains("-") else {
            let first = String(halves[0])
            throw Failure(
                detail: "a step needs a range or \"*\" before it: \"\(first)/\(step)\" is read in two ways.",
                instead: "\(first)-\(whole.upperBound)/\(step)")
        }
        choose(bounds, step: step)
    }

    /// The values of `*`: Sunday once.
    private var whole: ClosedRange<Int64> { field == .weekday ? 0...6 : range }

    private mutating func choose(_ bounds: ClosedRange<Int64>, step: Int64) {
        for value in stride(from: bounds.lowerBound, through: bounds.upperBound, by: Int(step)) {
            chosen.insert(field == .weekday ? value % 7 : value)
        }
    }

    /// `9`, `9-17` or `MON-FRI`.
    private func bounds(_ text: Substring) throws(Failure) -> ClosedRange<Int64> {
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let lower = try value(ends[0])
        guard ends.count == 2 else { return lower...lower }
        var upper = try value(ends[1])
        if field == .weekday && upper == 0 && lower > 0 { upper = 7 }
        if lower <= upper { return lower...upper }
        let instead = "\(ends[0])-\(whole.upperBound),\(whole.lowerBound)-\(ends[1])"
        throw Failure(detail: "the range begins after its end. Write it in two parts.", instead: instead)
    }

    private func value(_ text: Substring) throws(Failure) -> Int64 {
        if let number = Self.number(text) {
            if range.contains(number) { return number }
            throw Failure(detail: "\(number) is not in \(range.lowerBound) to \(range.upperBound).")
        }
        let word = text.uppercased()
        if let index = names.firstIndex(of: word) { return Int64(index) + (field == .month ? 1 : 0) }
        let allowed =
            names.isEmpty
            ? "\(range.lowerBound) to \(range.upperBound)"
            : "\(range.lowerBound) to \(range.upperBound), or \(names[0]) to \(names[names.count - 1])"
        throw Failure(
            detail: "\"\(String(quotable: String(text)))\" is none of \(allowed).",
            instead: names.first { word.count > 3 && word.hasPrefix($0) })
    }

    /// One to four digits.
    private static func number(_ text: Substring) -> Int64? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return Int64(text)
    }

    // MARK: L, W and #

    /// Reads what only days and weekdays know. Returns whether it was that.
    private mutating func readDay(_ part: Substring) throws(Failure) -> Bool {
        switch field {
        case .day: try readMonthDay(part)
        case .weekday: try readWeekday(part)
        default: false
        }
    }

    /// `L`, `L-3`, `LW` or `15W`.
    private mutating func readMonthDay(_ part: Substring) throws(Failure) -> Bool {
        if part == "L" {
            monthDays.append(.last(before: 0))
        } else if part == "LW" {
            monthDays.append(.lastWorkday)
        } else if part.hasPrefix("L-") {
            guard let before = Self.number(part.dropFirst(2)), (1...30).contains(before) else {
                throw Failure(detail: "after \"L-\" comes the number of days before the last one, 1 to 30.")
            }
            monthDays.append(.last(before: before))
        } else if part.hasSuffix("W") {
            guard let day = Self.number(part.dropLast()), range.contains(day) else {
                throw Failure(detail: "\"W\" comes after one day, as in 15W, or after L.")
            }
            monthDays.append(.workday(nearest: day))
        } else {
            return false
        }
        return true
    }

    /// `FRI#2`, `FRI#L` or `5L`.
    private mutating func readWeekday(_ part: Substring) throws(Failure) -> Bool {
        let halves = part.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        if halves.count == 2 {
            let weekday = try value(halves[0]) % 7
            if halves[1] == "L" {
                weekdays.append(.last(weekday))
            } else {
                guard let week = Self.number(halves[1]), (1...5).contains(week) else {
                    throw Failure(detail: "after \"#\" comes 1 to 5, or L for the last one of the month.")
                }
                weekdays.append(.nth(week, weekday: weekday))
            }
            return true
        }
        guard part.hasSuffix("L"), part.utf8.count > 1 else { return false }
        weekdays.append(.last(try value(part.dropLast()) % 7))
        return true
    }
}
