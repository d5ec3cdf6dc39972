internal import JobKit
package import StrictJSON
internal import Synchronization

/// The values of an `in`. A long list is sorted by hash when it is first asked, so that a look takes no longer than a
/// short one.
package struct ValueList: Sendable {
    /// The values, as written.
    package let values: [JSONValue]
    private let index: Index?

    /// Lists up to this length are walked.
    private static let walkedMax = 16

    /// The list of `values`.
    package init(_ values: [JSONValue]) {
        self.values = values
        index = values.count > Self.walkedMax ? Index() : nil
    }

    private struct Entry {
        var hash: UInt64
        var place: Int
    }

    private final class Index: Sendable {
        let entries = Mutex<[Entry]?>(nil)
    }

    /// Whether one of the values is the same as `value`.
    /// - Throws: `evaluation.too_long`.
    func contains(_ value: JSONValue, _ meter: StepMeter) throws(AOperationError) -> Bool {
        guard let index else {
            for own in values where try own.isSame(as: value, meter) { return true }
            return false
        }
        let entries = try entries(of: index, meter)
        let hash = try value.hashOfSame(meter)
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].hash < hash { low = middle + 1 } else { high = middle }
        }
        while low < entries.count, entries[low].hash == hash {
            if try values[entries[low].place].isSame(as: value, meter) { return true }
            low += 1
        }
        return false
    }

    private func entries(of index: Index, _ meter: StepMeter) throws(AOperationError) -> [Entry] {
        if let made = index.entries.withLock({ $0 }) { return made }
        try meter.spend(32 * values.count, on: .comparing)
        var entries: [Entry] = []
        entries.reserveCapacity(values.count)
        for (place, value) in values.enumerated() {
            entries.append(Entry(hash: try value.hashOfSame(meter), place: place))
        }
        entries.sort { $0.hash < $1.hash }
        index.entries.withLock { $0 = entries }
        return entries
    }
}

extension ValueList: Hashable, ExpressibleByArrayLiteral {
    /// A list of these values.
    package init(arrayLiteral elements: JSONValue...) { self.init(elements) }

    /// Equal when the values are.
    package static func == (left: ValueList, right: ValueList) -> Bool { left.values == right.values }

    package func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension JSONValue {
    /// A hash that is equal for values that are the same (`isSame`).
    /// - Throws: `evaluation.too_long`.
    func hashOfSame(_ meter: StepMeter) throws(AOperationError) -> UInt64 {
        switch self {
        case .null, .bool:
            try meter.spend(2, on: .comparing)
            return self == .null ? 0x9E37 : self == .bool(true) ? 0x79B9 : 0x7F4A
        case .number(let number):
            try meter.spend(16 + number.text.utf8.count, on: .comparing)
            // Equal numbers have the same nearest binary number; those out of range share one hash.
            let nearest = number.double ?? .infinity
            return Self.mixed(7, nearest == 0 ? 0 : nearest.bitPattern)
        case .string(let text):
            try meter.spend(4 + text.utf8.count / 2, on: .comparing)
            return Self.hash(of: text)
        case .array(let elements):
            try meter.spend(4, on: .comparing)
            var hash: UInt64 = 11
            for element in elements { hash = Self.mixed(hash, try element.hashOfSame(meter)) }
            return hash
        case .object(let object):
            try meter.spend(4, on: .comparing)
            var sum: UInt64 = 13
            for member in object.members {
                try meter.spend(4 + member.name.utf8.count / 2, on: .comparing)
                sum &+= Self.mixed(Self.hash(of: member.name), try member.value.hashOfSame(meter))
            }
            return sum
        }
    }

    private static func hash(of text: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash
    }

    private static func mixed(_ hash: UInt64, _ value: UInt64) -> UInt64 {
        let mixed = (hash ^ value) &* 0x9E37_79B9_7F4A_7C15
        return mixed ^ mixed >> 29
    }
}
