internal import JobKit
internal import StrictJSON

extension TransformSpec.Reduction {
    /// Reduces a list to one value.
    /// - Throws: `transform.failed` with the element that has the wrong type; `evaluation.too_long`.
    func value(of list: [JSONValue], _ meter: StepMeter) throws(AOperationError) -> JSONValue {
        try meter.spend(64 * list.count, on: .making)
        switch self {
        case .count: return .number(JSONNumber(Int64(list.count)))
        case .first: return list.first ?? .null
        case .last: return list.last ?? .null
        case .sum: return .number(try sum(list))
        case .min: return try extreme(list, meter, isLess: { $0 < 0 })
        case .max: return try extreme(list, meter, isLess: { $0 > 0 })
        case .join(let separator):
            var texts: [String] = []
            var bytes = 0
            for (index, element) in list.enumerated() {
                guard let text = element.plainText else {
                    throw failure(index, element, "a text, a number or a truth value")
                }
                try meter.spend(text.utf8.count / 4, on: .making)
                bytes += text.utf8.count + separator.utf8.count
                guard bytes <= TransformRun.bytesMax else {
                    throw TransformRun.tooLarge(at: index, "the text")
                }
                texts.append(text)
            }
            return .string(texts.joined(separator: separator))
        case .merge: return try merged(list, meter)
        }
    }

    private func sum(_ list: [JSONValue]) throws(AOperationError) -> JSONNumber {
        var sum = DecimalSum()
        for (index, element) in list.enumerated() {
            guard let number = element.number else { throw failure(index, element, "a number") }
            guard sum.add(number) else {
                throw AOperationError(
                    .transformFailed,
                    detail:
                        "reduce sum, element /\(index): with this number the sum takes more than 38 digits, and is "
                        + "not exact. Leave such numbers out with where.")
            }
        }
        return sum.total
    }

    /// The least element by the order `isLess`.
    private func extreme(
        _ list: [JSONValue], _ meter: StepMeter, isLess: (Int) -> Bool
    ) throws(AOperationError) -> JSONValue {
        guard var best = list.first else { return .null }
        for (index, element) in list.enumerated() {
            guard let order = try JSONPredicate.Comparison.compare(element, best, meter) else {
                guard index > 0 else { throw failure(index, element, "a number or a text") }
                throw failure(
                    index, element, "\(best.string == nil ? "a number" : "a text") like those before it")
            }
            if isLess(order) { best = element }
        }
        return best
    }

    private func merged(_ list: [JSONValue], _ meter: StepMeter) throws(AOperationError) -> JSONValue {
        var whole: [JSONObject.Member] = []
        var places: [ByteKey: Int] = [:]
        for (index, element) in list.enumerated() {
            guard case .object(let object) = element else { throw failure(index, element, "an object") }
            for member in object.members {
                try meter.spend(32 + member.name.utf8.count, on: .making)
                let name = ByteKey(member.name)
                if let place = places[name] {
                    whole[place].value = member.value
                } else {
                    places[name] = whole.count
                    whole.append(member)
                }
            }
        }
        return .object(JSONObject(uniqueMembers: whole))
    }

    private func failure(_ index: Int, _ element: JSONValue, _ wanted: String) -> AOperationError {
        AOperationError(
            .transformFailed,
            detail: "reduce \(word), element /\(index): needs \(wanted), and was given \(element.kindName).")
    }
}

/// An exact sum of decimal numbers, as long as that takes at most 38 digits.
struct DecimalSum {
    private static let digitsMax = 38
    private var units: Int128 = 0
    private var places = 0

    /// Adds a number; false when the sum would not be exact.
    mutating func add(_ number: JSONNumber) -> Bool {
        guard let (other, otherPlaces) = Self.parts(number) else { return false }
        let common = max(places, otherPlaces)
        guard let mine = Self.scaled(units, by: common - places),
            let theirs = Self.scaled(other, by: common - otherPlaces)
        else { return false }
        let (sum, overflow) = mine.addingReportingOverflow(theirs)
        guard !overflow else { return false }
        units = sum
        places = common
        return true
    }

    var total: JSONNumber {
        let isNegative = units < 0
        var digits = String(units.magnitude)
        if places > 0 {
            while digits.utf8.count <= places { digits = "0" + digits }
            digits.insert(".", at: digits.index(digits.endIndex, offsetBy: -places))
            while digits.last == "0" { digits.removeLast() }
            if digits.last == "." { digits.removeLast() }
        }
        return JSONNumber(text: (isNegative ? "-" : "") + digits) ?? JSONNumber(0)
    }

    private static func scaled(_ value: Int128, by places: Int) -> Int128? {
        if value == 0 { return 0 }
        var value = value
        for _ in 0..<places {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            value = product
        }
        return value
    }

    /// The digits of a number without the point, and how many stand behind it; nil when these are too many.
    private static func parts(_ number: JSONNumber) -> (Int128, Int)? {
        let text = number.text.utf8
        let isNegative = text.first == UInt8(ascii: "-")
        let end = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.endIndex
        let mantissa = text[..<end].dropFirst(isNegative ? 1 : 0)
        var digits = mantissa.filter { $0 != UInt8(ascii: ".") }[...]
        var places =
            mantissa.firstIndex(of: UInt8(ascii: ".")).map { text.distance(from: $0, to: end) - 1 } ?? 0
        digits = digits.drop { $0 == 0x30 }
        while digits.last == 0x30 {
            digits.removeLast()
            places -= 1
        }
        if digits.isEmpty { return (0, 0) }
        if end < text.endIndex {
            guard let exponent = Int(String(decoding: text[text.index(after: end)...], as: UTF8.self)),
                (-10_000...10_000).contains(exponent)
            else { return nil }
            places -= exponent
        }
        guard digits.count <= digitsMax, (-digitsMax...digitsMax).contains(places),
            let units = Int128((isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self))
        else { return nil }
        return places >= 0 ? (units, places) : scaled(units, by: -places).map { ($0, 0) }
    }
}
