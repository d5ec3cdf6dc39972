/// Byte strings that are looked for all at once. A value.
///
/// Two bytes at a place say by one look into a bitmap whether anything begins there; only then the first four bytes
/// are looked up, and only then strings are compared. Most of a content is passed over at the speed of reading it.
struct SecretPatterns: Sendable {
    /// What stands where something was found.
    static let mark = Array("***".utf8)

    /// The strings by their first four bytes, longer ones first.
    private var byStart: [UInt32: [[UInt8]]] = [:]
    /// Which pairs of bytes some string begins with.
    private var pairs = [UInt64](repeating: 0, count: 1_024)
    /// The length of the longest string.
    private(set) var longest = 0

    var isEmpty: Bool { longest == 0 }

    /// Looks for `pattern`, too; at least four bytes.
    mutating func insert(_ pattern: [UInt8]) {
        guard pattern.count >= SecretForms.bytesMin else { return }
        let key = Self.key(pattern[0], pattern[1], pattern[2], pattern[3])
        var list = byStart[key] ?? []
        guard !list.contains(pattern) else { return }
        let place = list.firstIndex { $0.count < pattern.count } ?? list.count
        list.insert(pattern, at: place)
        byStart[key] = list
        let pair = Int(pattern[0]) << 8 | Int(pattern[1])
        pairs[pair >> 6] |= 1 << UInt64(pair & 63)
        longest = max(longest, pattern.count)
    }

    /// `bytes` with the mark for everything that was found; nil when nothing was.
    func replaced(in bytes: [UInt8]) -> [UInt8]? {
        guard !isEmpty else { return nil }
        var output: [UInt8]?
        var copied = 0
        var index = 0
        while index + SecretForms.bytesMin <= bytes.count {
            guard let length = match(in: bytes, at: index) else {
                index += 1
                continue
            }
            var made = output ?? []
            made += bytes[copied..<index]
            made += Self.mark
            output = made
            index += length
            copied = index
        }
        guard var output else { return nil }
        output += bytes[copied...]
        return output
    }

    /// How much of `bytes` can be judged without knowing what comes behind: up to the first place from which on
    /// everything to the end is the beginning of something longer.
    func settled(in bytes: [UInt8]) -> Int {
        guard longest > 1 else { return bytes.count }
        var index = max(0, bytes.count - (longest - 1))
        while index < bytes.count {
            if mayBegin(in: bytes, at: index) { return index }
            index += 1
        }
        return bytes.count
    }

    /// The length of the longest string that stands at `index`.
    func match(in bytes: [UInt8], at index: Int) -> Int? {
        guard begins(bytes[index], bytes[index + 1]),
            let list = byStart[
                Self.key(bytes[index], bytes[index + 1], bytes[index + 2], bytes[index + 3])]
        else { return nil }
        for pattern in list where pattern.count <= bytes.count - index {
            if Self.equal(bytes, index, pattern, pattern.count) { return pattern.count }
        }
        return nil
    }

    /// Whether all from `index` to the end is the beginning of a string that is longer than that.
    private func mayBegin(in bytes: [UInt8], at index: Int) -> Bool {
        let left = bytes.count - index
        if left == 1 {
            let row = Int(bytes[index]) << 2
            return pairs[row] | pairs[row + 1] | pairs[row + 2] | pairs[row + 3] != 0
        }
        guard begins(bytes[index], bytes[index + 1]) else { return false }
        guard left >= SecretForms.bytesMin else { return true }
        let key = Self.key(bytes[index], bytes[index + 1], bytes[index + 2], bytes[index + 3])
        return byStart[key]?.contains { $0.count > left && Self.equal(bytes, index, $0, left) } ?? false
    }

    private func begins(_ first: UInt8, _ second: UInt8) -> Bool {
        let pair = Int(first) << 8 | Int(second)
        return pairs[pair >> 6] >> UInt64(pair & 63) & 1 == 1
    }

    private static func equal(_ bytes: [UInt8], _ index: Int, _ pattern: [UInt8], _ count: Int) -> Bool {
        for offset in 0..<count where bytes[index + offset] != pattern[offset] { return false }
        return true
    }

    private static func key(_ one: UInt8, _ two: UInt8, _ three: UInt8, _ four: UInt8) -> UInt32 {
        UInt32(one) << 24 | UInt32(two) << 16 | UInt32(three) << 8 | UInt32(four)
    }
}
