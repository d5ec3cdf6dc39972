internal import JobKit
internal import StrictJSON

extension MapSpec.Reduction {
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
                guard bytes <= MapRun.bytesMax else { throw MapRun.tooLarge(at: index, "the text") }
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
                    detail: "reduce sum, element /\(index): the number is too large to be added.")
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

/// An exact sum of decimal numbers with at most 36 digits; binary floating point beyond that.
struct DecimalSum {
    private static let placesMax = 18
    private var units: Int128 = 0
    private var places = 0
    private var approximate: Double?

    /// Adds a number; false when it is out of range.
    mutating func add(_ number: JSONNumber) -> Bool {
        if approximate == nil, let (units, places) = Self.parts(number), addExactly(units, places) {
            return true
        }
        guard let value = number.double, value.isFinite else { return false }
        let sum = (approximate ?? double) + value
        guard sum.isFinite else { return false }
        approximate = sum
        return true
    }

    var total: JSONNumber {
        if let approximate { return JSONNumber(approximate) ?? JSONNumber(0) }
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

    private var double: Double { total.double ?? 0 }

    private mutating func addExactly(_ other: Int128, _ otherPlaces: Int) -> Bool {
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

    private static func scaled(_ value: Int128, by places: Int) -> Int128? {
        var value = value
        for _ in 0..<places {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            value = product
        }
        return value
    }

    /// The digits and the number of decimal places; nil with an exponent or too many digits.
    private static func parts(_ number: JSONNumber) -> (Int128, Int)? {
        let text = number.text
        guard text.utf8.count <= 36, !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) else {
            return nil
        }
        guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) else {
            return Int128(text).map { ($0, 0) }
        }
        let places = text.utf8.distance(from: point, to: text.utf8.endIndex) - 1
        guard places <= placesMax else { return nil }
        var digits = text
        digits.remove(at: point)
        return Int128(digits).map { ($0, places) }
    }
}
