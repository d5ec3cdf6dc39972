/// The value of a Content-Range field in bytes (RFC 9110 §14.4).
package struct ContentRange: Sendable, Hashable, CustomStringConvertible {
    /// The first and the last byte; nil in an answer to an unsatisfiable range (`bytes */1234`).
    package var bytes: ClosedRange<Int>?
    /// The length of the whole content; nil when unknown (`bytes 0-99/*`).
    package var total: Int?

    /// A part.
    package init(bytes: ClosedRange<Int>?, total: Int?) {
        self.bytes = bytes
        self.total = total
    }

    /// Parses a Content-Range field; nil for another unit, and for contradictory values.
    package init?(_ text: String) {
        let halves = text.split(separator: " ", maxSplits: 1)
        guard halves.count == 2, halves[0].lowercased() == "bytes" else { return nil }
        let parts = halves[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] != "*" {
            guard let whole = ByteRange.number(parts[1]) else { return nil }
            total = whole
        }
        if parts[0] == "*" {
            if total == nil { return nil }
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ByteRange.number(ends[0]), let last = ByteRange.number(ends[1]),
            first <= last, last < total ?? .max
        else { return nil }
        bytes = first...last
    }

    /// The field value.
    package var description: String {
        let part = bytes.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "*"
        return "bytes \(part)/\(total.map(String.init) ?? "*")"
    }
}
