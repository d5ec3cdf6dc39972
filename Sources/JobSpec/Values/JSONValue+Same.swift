internal import JobKit
internal import StrictJSON

extension JSONValue {
    /// Equal as JSON values: numbers by value (`1` and `1.0`), members in any order, texts by their bytes.
    /// - Throws: `evaluation.too_long`.
    func isSame(as other: JSONValue, _ meter: StepMeter) throws(AOperationError) -> Bool {
        switch (self, other) {
        case (.number(let left), .number(let right)):
            try meter.spend(4, on: .comparing)
            if left.text.hasSameBytes(as: right.text) { return true }
            try meter.spend(left.text.utf8.count + right.text.utf8.count, on: .comparing)
            return left.isNumericallyEqual(to: right)
        case (.string(let left), .string(let right)):
            try meter.spend(
                4 + (left.utf8.count == right.utf8.count ? left.utf8.count / 4 : 0), on: .comparing)
            return left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)):
            try meter.spend(4, on: .comparing)
            guard left.count == right.count else { return false }
            for index in left.indices where try !left[index].isSame(as: right[index], meter) { return false }
            return true
        case (.object(let left), .object(let right)): return try Self.areSame(left, right, meter)
        default:
            try meter.spend(2, on: .comparing)
            return self == other
        }
    }

    /// Compares members in their order as long as that is the same, and looks the others up.
    private static func areSame(
        _ left: JSONObject, _ right: JSONObject, _ meter: StepMeter
    ) throws(AOperationError) -> Bool {
        try meter.spend(4 + left.count, on: .comparing)
        guard left.count == right.count else { return false }
        var places: [ByteKey: Int]?
        for (index, member) in left.members.enumerated() {
            var place = index
            if places != nil || !right.members[index].name.hasSameBytes(as: member.name) {
                if places == nil {
                    try meter.spend(32 * right.count, on: .comparing)
                    places = Dictionary(
                        right.members.enumerated().map { (ByteKey($1.name), $0) }, uniquingKeysWith: { $1 })
                }
                guard let found = places?[ByteKey(member.name)] else { return false }
                place = found
            }
            guard try member.value.isSame(as: right.members[place].value, meter) else { return false }
        }
        return true
    }
}
