// DESIGN
// Classes are fixed, so that spreads of servers, minutes and values add up without loss: up to 31 ms a class for each
// millisecond, above that 16 classes of equal width for each power of two. The middle of a class is at most half its
// width from each of its values, which are at least 16 times its width: an error of 1/32. That is the layout of
// HdrHistogram (Gil Tene, https://hdrhistogram.org); DDSketch (Masson, Rim, Lee: VLDB 12, 2019) proves the like for
// classes whose bounds are powers. A spread has only the classes that occur: a dozen, mostly.

/// The numbers of durations in fixed classes, from which percentiles are estimated to within 3.2 %.
package struct Spread: Sendable, Hashable {
    /// A class that occurs.
    private struct Part: Sendable, Hashable {
        var place: Int
        var count: Int64
    }

    /// In the order of their places.
    private var parts: [Part] = []
    /// Longer durations count as this long: 34 years.
    private static let most: Int64 = 1 << 40

    /// A spread of nothing.
    package init() {}

    package var isEmpty: Bool { parts.isEmpty }

    /// The number of durations.
    package var count: Int64 { parts.reduce(0) { $0 &+ $1.count } }

    /// Adds a duration in milliseconds.
    package mutating func note(_ milliseconds: Int64) { add(1, at: Self.place(of: milliseconds)) }

    private mutating func add(_ count: Int64, at place: Int) {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = low + (high - low) / 2
            if parts[middle].place < place { low = middle + 1 } else { high = middle }
        }
        if low < parts.count, parts[low].place == place {
            parts[low].count &+= count
        } else {
            parts.insert(Part(place: place, count: count), at: low)
        }
    }

    /// Adds all durations of another one.
    package mutating func add(_ other: Spread) {
        if other.parts.isEmpty { return }
        if parts.isEmpty { return parts = other.parts }
        var sum: [Part] = []
        sum.reserveCapacity(parts.count + other.parts.count)
        var rest = other.parts[...]
        for var part in parts {
            while let next = rest.first, next.place <= part.place {
                rest.removeFirst()
                if next.place == part.place { part.count &+= next.count } else { sum.append(next) }
            }
            sum.append(part)
        }
        parts = sum + rest
    }

    /// The duration, in milliseconds, that a share of all does not exceed; nil without any.
    /// - Parameter share: in thousandths, such as 950.
    package func percentile(_ share: Int64) -> Int64? {
        let rank = max(1, (count * share + 999) / 1_000)
        var seen: Int64 = 0
        for part in parts {
            seen &+= part.count
            if seen >= rank { return Self.middle(of: part.place) }
        }
        return nil
    }

    static func place(of milliseconds: Int64) -> Int {
        let value = min(max(0, milliseconds), most)
        if value < 16 { return Int(value) }
        let power = 63 - value.leadingZeroBitCount
        return (power - 3) << 4 | Int(value >> (power - 4)) & 15
    }

    static func middle(of place: Int) -> Int64 {
        if place < 16 { return Int64(place) }
        let shift = place >> 4 - 1
        return Int64(16 | place & 15) << shift + (1 << shift) / 2
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(leb: UInt64(parts.count))
        var last = 0
        for part in parts {
            bytes.append(leb: UInt64(part.place - last))
            bytes.append(leb: UInt64(max(0, part.count)))
            last = part.place
        }
    }

    init(_ reader: inout StatsReader) {
        var place = 0
        for _ in 0..<min(reader.number(), UInt64(Self.place(of: Self.most) + 1)) {
            place += Int(clamping: reader.number() & 0xFFFF)
            let count = reader.integer()
            if count == 0 { continue }
            if parts.last.map({ $0.place < place }) ?? true {
                parts.append(Part(place: place, count: count))
            } else {
                add(count, at: place)
            }
        }
    }
}
