/// Reads a file of the IANA time zone database (RFC 9636).
struct ZoneFile {
    /// The rules that the bytes of a file say; nil when they are no such file.
    static func rules(_ bytes: [UInt8]) -> ZoneRules? {
        guard let first = Header(bytes, at: 0), first.version >= UInt8(ascii: "2") else { return nil }
        // The data of version 1 is skipped: the same data with 64-bit times follows.
        let start = Header.size + first.bodySize(timeSize: 4)
        guard let header = Header(bytes, at: start), header.typeCount > 0 else { return nil }
        let body = start + Header.size
        let end = body + header.bodySize(timeSize: 8)
        guard end < bytes.count else { return nil }
        guard let (transitions, earliest) = transitions(bytes, header, at: body) else { return nil }
        let footer = bytes[end...].dropFirst().prefix { $0 != UInt8(ascii: "\n") }
        return ZoneRules(
            transitions: transitions, earliestOffset: earliest, yearly: YearlyRule(footer))
    }

    private static func transitions(
        _ bytes: [UInt8], _ header: Header, at body: Int
    ) -> ([ZoneRules.Transition], Int64)? {
        let indices = body + header.timeCount * 8
        let types = indices + header.timeCount
        var offsets: [Int64] = []
        for number in 0..<header.typeCount {
            offsets.append(Int64(Int32(truncatingIfNeeded: integer(bytes, at: types + number * 6, size: 4))))
        }
        var transitions: [ZoneRules.Transition] = []
        for number in 0..<header.timeCount {
            let type = Int(bytes[indices + number])
            guard type < offsets.count else { return nil }
            transitions.append(
                .init(at: integer(bytes, at: body + number * 8, size: 8), offset: offsets[type]))
        }
        guard zip(transitions, transitions.dropFirst()).allSatisfy({ $0.at < $1.at }) else { return nil }
        return (transitions, offsets[0])
    }

    /// A big-endian number of `size` bytes. The caller has checked that they exist.
    private static func integer(_ bytes: [UInt8], at index: Int, size: Int) -> Int64 {
        bytes[index..<(index + size)].reduce(0) { $0 << 8 | Int64($1) }
    }

    private struct Header {
        static let size = 44
        let version: UInt8
        private let counts: [Int]

        var timeCount: Int { counts[3] }
        var typeCount: Int { counts[4] }

        init?(_ bytes: [UInt8], at start: Int) {
            guard start >= 0, bytes.count >= start + Self.size,
                bytes[start..<(start + 4)].elementsEqual("TZif".utf8)
            else { return nil }
            version = bytes[start + 4]
            let counts = (0..<6).map { Int(ZoneFile.integer(bytes, at: start + 20 + $0 * 4, size: 4)) }
            guard counts.allSatisfy({ $0 <= 100_000 }) else { return nil }
            self.counts = counts
        }

        func bodySize(timeSize: Int) -> Int {
            let (universal, standard, leaps) = (counts[0], counts[1], counts[2])
            return timeCount * (timeSize + 1) + typeCount * 6 + counts[5] + leaps * (timeSize + 4) + standard
                + universal
        }
    }
}
