/// The names of one object while it is parsed, to refuse a repeated one.
///
/// Small objects are searched linearly, and a 64-bit sketch of the names so far usually makes even that unnecessary.
/// Larger ones use a hash table whose hash is seeded per process, so that an attacker cannot choose colliding names. A
/// set of strings would not do: it treats canonically equivalent names as one.
struct MemberNames {
    private static let linearMax = 16

    private var sketch: UInt64 = 0
    /// Open addressing; a power of two of slots, at most half of them used. A used slot holds the upper half of the
    /// name's hash above the index of its member plus one; 0 is a free slot.
    private var slots: [UInt64] = []

    /// Adds a name. Returns false when one of `members`, the members so far, has it already.
    mutating func insert(_ name: String, after members: [JSONObject.Member]) -> Bool {
        if members.count >= Self.linearMax { return insertHashed(name, after: members) }
        let bit = Self.sketchBit(name)
        defer { sketch |= bit }
        guard sketch & bit != 0 else { return true }
        return !members.contains { $0.name.hasSameBytes(as: name) }
    }

    private static func sketchBit(_ name: String) -> UInt64 {
        let bytes = name.utf8.span
        guard let last = bytes.indices.last else { return 1 }
        let mix = Int(bytes[0]) &* 7 &+ Int(bytes[last]) &* 3 &+ bytes.count &* 13
        return 1 << UInt64(truncatingIfNeeded: mix & 63)
    }

    private mutating func insertHashed(_ name: String, after members: [JSONObject.Member]) -> Bool {
        if slots.isEmpty {
            slots = [UInt64](repeating: 0, count: 4 * Self.linearMax)
            for (index, member) in members.enumerated() { place(Self.slot(member.name, index: index)) }
        } else if 2 * members.count >= slots.count {
            grow()
        }
        let slot = Self.slot(name, index: members.count)
        var position = firstPosition(of: slot)
        while slots[position] != 0 {
            let other = slots[position]
            let isSameHash = other >> 32 == slot >> 32
            if isSameHash, members[Self.index(in: other)].name.hasSameBytes(as: name) { return false }
            position = (position + 1) & (slots.count - 1)
        }
        slots[position] = slot
        return true
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: 4 * old.count)
        for slot in old where slot != 0 { place(slot) }
    }

    private mutating func place(_ slot: UInt64) {
        var position = firstPosition(of: slot)
        while slots[position] != 0 { position = (position + 1) & (slots.count - 1) }
        slots[position] = slot
    }

    private func firstPosition(of slot: UInt64) -> Int { Int(slot >> 32) & (slots.count - 1) }

    private static func index(in slot: UInt64) -> Int { Int(slot & 0xFFFF_FFFF) - 1 }

    private static func slot(_ name: String, index: Int) -> UInt64 {
        let bytes = name.utf8.span
        var hasher = Hasher()
        var word = UInt64(truncatingIfNeeded: bytes.count)
        for index in bytes.indices {
            if index & 7 == 0 {
                hasher.combine(word)
                word = 0
            }
            word = word << 8 | UInt64(bytes[index])
        }
        hasher.combine(word)
        let hash = UInt64(truncatingIfNeeded: hasher.finalize())
        return hash & 0xFFFF_FFFF_0000_0000 | UInt64(truncatingIfNeeded: index + 1) & 0xFFFF_FFFF
    }
}
