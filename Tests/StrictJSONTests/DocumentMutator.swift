/// Mutates documents, the same way in every run.
struct DocumentMutator {
    private var state: UInt64
    private static let fragments: [[UInt8]] =
        [
            "\"", "\\", ",", ":", "[", "]", "{", "}", "0", "-", "1", ".", "e", "+", " ", "\n", "true", "null",
            "\\u00", "\\ud83d",
            "\\udE00", "\\u0061", "\"a\":1,", "[[", "]]", "//", "NaN", "\u{e9}", "\u{1F600}", "\u{0}", "\\\"",
            "1e5", "-0", "'",
        ].map { Array($0.utf8) } + [
            [0xFF], [0xC3], [0x80], [0xED, 0xA0, 0x80], [0xF0, 0x9F], [0xE2, 0x82, 0xAC], [0xEF, 0xBB, 0xBF],
        ]

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(1, count))) }

    /// The document after one to three changes: bytes removed, replaced, repeated or inserted.
    mutating func mutate(_ document: [UInt8]) -> [UInt8] {
        var bytes = document
        for _ in 0...below(3) {
            let place = below(bytes.count + 1)
            switch below(5) {
            case 0: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(3)))
            case 1: bytes.insert(contentsOf: Self.fragments[below(Self.fragments.count)], at: place)
            case 2 where place < bytes.count: bytes[place] = UInt8(truncatingIfNeeded: next())
            case 3 where place < bytes.count: bytes[place] ^= 1 << UInt8(below(8))
            default:
                let end = min(bytes.count, place + 1 + below(12))
                bytes.insert(contentsOf: bytes[place..<end], at: below(bytes.count + 1))
            }
        }
        return bytes
    }
}
