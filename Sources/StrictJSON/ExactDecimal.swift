/// The parts of a number's text: a sign, significant digits without outer zeros, and the position of the point.
///
/// The value is `0.digits × 10^pointPlace`. Exact for every number whose exponent stays within ±10^14; beyond that the
/// position is clamped, and numbers differ only by their digits.
struct ExactDecimal: Hashable {
    /// The limit is below the largest exponent that is read, so that written text reads back the same.
    private static let exponentMax = 1_000_000_000_000_000
    private static let pointPlaceMax = 100_000_000_000_000

    let isNegative: Bool
    /// Values 0...9, no leading and no trailing zero; empty for zero.
    let digits: [UInt8]
    /// 0 for zero.
    let pointPlace: Int

    /// Parses a number whose text follows the grammar of RFC 8259 §6.
    init(_ number: JSONNumber) {
        var isNegative = false
        var digits: [UInt8] = []
        var pointPlace = 0
        var sawPoint = false
        var exponent: Int?
        var exponentIsNegative = false
        for byte in number.text.utf8 {
            switch byte {
            case UInt8(ascii: "-"):
                if exponent == nil { isNegative = true } else { exponentIsNegative = true }
            case UInt8(ascii: "."): sawPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): exponent = 0
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let digit = byte - 0x30
                if let known = exponent {
                    exponent = min(Self.exponentMax, known * 10 + Int(digit))
                } else {
                    if !(digits.isEmpty && digit == 0) { digits.append(digit) }
                    if !sawPoint && !digits.isEmpty { pointPlace += 1 }
                    if sawPoint && digits.isEmpty { pointPlace -= 1 }
                }
            default: break
            }
        }
        while digits.last == 0 { digits.removeLast() }
        self.isNegative = isNegative && !digits.isEmpty
        self.digits = digits
        let shift = exponentIsNegative ? -(exponent ?? 0) : exponent ?? 0
        let place = digits.isEmpty ? 0 : pointPlace + shift
        self.pointPlace = max(-Self.pointPlaceMax, min(Self.pointPlaceMax, place))
    }

    /// The text of the number in ECMAScript (and so RFC 8785).
    var text: String {
        guard !digits.isEmpty else { return "0" }
        let written = digits.map { $0 + 0x30 }
        var bytes: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
        switch pointPlace {
        case digits.count...max(21, digits.count) where pointPlace <= 21:
            bytes += written + [UInt8](repeating: 0x30, count: pointPlace - digits.count)
        case 1...21:
            bytes += written[..<pointPlace] + [UInt8(ascii: ".")] + written[pointPlace...]
        case -5...0:
            bytes += [0x30, UInt8(ascii: ".")] + [UInt8](repeating: 0x30, count: -pointPlace) + written
        default:
            bytes.append(written[0])
            if written.count > 1 { bytes += [UInt8(ascii: ".")] + written[1...] }
            bytes += pointPlace > 0 ? Array("e+".utf8) : Array("e".utf8)
            bytes += String(pointPlace - 1).utf8
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ExactDecimal: Comparable {
    static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? right.isCloserToZero(than: left) : left.isCloserToZero(than: right)
    }

    private func isCloserToZero(than other: ExactDecimal) -> Bool {
        if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
        if pointPlace != other.pointPlace { return pointPlace < other.pointPlace }
        return digits.lexicographicallyPrecedes(other.digits)
    }
}
