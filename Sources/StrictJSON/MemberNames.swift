/// The names of one object while it is read, to refuse a repeated one.
///
/// Small objects are searched one by one, and a 64-bit sketch of the names so far usually makes even that
/// unnecessary. Larger ones use a set whose hash is seeded by the process, so that nobody can choose names
/// that make reading slow.
struct MemberNames {
    private static let linearMax = 16

    private var sketch: UInt64 = 0
    private var hashed: Set<Name> = []

    /// Adds a name; false when one of `members`, the members so far, has it already.
    mutating func insert(_ name: String, after members: [JSONObject.Member]) -> Bool {
        if members.count >= Self.linearMax { return insertHashed(name, after: members) }
        let bit = Self.sketchBit(name)
        defer { sketch |= bit }
        guard sketch & bit != 0 else { return true }
        return !members.contains { $0.name.hasSameBytes(as: name) }
    }

    private mutating func insertHashed(_ name: String, after members: [JSONObject.Member]) -> Bool {
        if hashed.isEmpty {
            hashed.reserveCapacity(4 * Self.linearMax)
            for member in members { hashed.insert(Name(text: member.name)) }
        }
        return hashed.insert(Name(text: name)).inserted
    }

    private static func sketchBit(_ name: String) -> UInt64 {
        let bytes = name.utf8.span
        guard let last = bytes.indices.last else { return 1 }
        let mix = Int(bytes[0]) &* 7 &+ Int(bytes[last]) &* 3 &+ bytes.count &* 13
        return 1 << UInt64(truncatingIfNeeded: mix & 63)
    }

    /// A name that is equal to another only when all bytes are.
    private struct Name: Hashable {
        let text: String

        static func == (left: Name, right: Name) -> Bool { left.text.hasSameBytes(as: right.text) }

        func hash(into hasher: inout Hasher) {
            var word: UInt64 = 0
            for (index, byte) in text.utf8.enumerated() {
                word = word << 8 | UInt64(byte)
                if index & 7 == 7 { hasher.combine(word) }
            }
            hasher.combine(word)
            hasher.combine(text.utf8.count)
        }
    }
}
