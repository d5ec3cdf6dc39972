import StrictJSON

/// Makes values of every kind, the same ones in every run.
struct RandomValues {
    private var random: DocumentMutator
    private static let scalars: [ClosedRange<UInt32>] = [
        0x61...0x7A, 0x20...0x7E, 0x00...0x1F, 0x7F...0x9F, 0xA0...0x7FF, 0x300...0x32F, 0x800...0xD7FF,
        0xE000...0xFFFF, 0x1_0000...0x10_FFFF,
    ]
    private static let numbers = [
        "0", "-0", "1.0", "-12.50", "1e400", "6.02E+23", "18446744073709551616", "5e-324",
    ]

    init(seed: UInt64) { random = DocumentMutator(seed: seed) }

    mutating func value(depth: Int = 0) -> JSONValue {
        switch random.below(depth < 5 ? 8 : 5) {
        case 0: return .null
        case 1: return .bool(random.below(2) == 0)
        case 2: return .number(number())
        case 3, 4: return .string(text())
        case 5: return .array((0..<random.below(6)).map { _ in value(depth: depth + 1) })
        default:
            let count = random.below(8) == 0 ? 20 + random.below(40) : random.below(6)
            return .object(JSONObject((0..<count).map { _ in (text(), value(depth: depth + 1)) }))
        }
    }

    private mutating func number() -> JSONNumber {
        if random.below(2) == 0 {
            return JSONNumber(checkedText: Self.numbers[random.below(Self.numbers.count)])
        }
        return JSONNumber(Int64(bitPattern: random.next()) >> Int64(random.below(64)))
    }

    private mutating func text() -> String {
        var text = ""
        for _ in 0..<random.below(random.below(10) == 0 ? 100 : 8) {
            let range = Self.scalars[random.below(Self.scalars.count)]
            let value = range.lowerBound + UInt32(random.below(range.count))
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
