internal import JobKit
internal import StrictJSON

extension SpecReading {
    mutating func int(_ value: JSONValue, in range: ClosedRange<Int>) -> Int? {
        guard case .number(let number) = value else {
            wrongType(value, "a whole number")
            return nil
        }
        // As in JSON Schema (2020-12, section 6.1.1), 5.0 is an integer.
        guard let whole = number.wholeInt64.map(Int.init), range.contains(whole) else {
            let upper =
                range.upperBound == .max
                ? "at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
            note(
                .outOfRange,
                "The number is \(String(quotable: number.text)); allowed are whole numbers, \(upper).",
                suggestion: number.double.flatMap { Self.whole(near: $0, in: range) }.map(String.init))
            return nil
        }
        return whole
    }

    /// The whole number of a range that is nearest to a number; nil where there is no upper bound to go down to.
    private static func whole(near number: Double, in range: ClosedRange<Int>) -> Int? {
        let number = number.rounded()
        if number <= Double(range.lowerBound) { return range.lowerBound }
        if number < Double(range.upperBound) { return Int(number) }
        return range.upperBound == .max ? nil : range.upperBound
    }

    /// A number with or without a fraction.
    /// - Parameter limits: the text for a number outside `range`.
    mutating func number(
        _ value: JSONValue, in range: ClosedRange<Double>, limits: @autoclosure () -> String
    ) -> Double? {
        guard case .number(let number) = value else {
            wrongType(value, "a number")
            return nil
        }
        guard let number = number.double, range.contains(number) else {
            note(.outOfRange, limits())
            return nil
        }
        return number
    }
}
