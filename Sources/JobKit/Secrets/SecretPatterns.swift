/// Byte strings to be found in one pass, plain or escaped. A value.
///
/// A bitmap of the first two bytes says whether any string begins at a position; only then the first four bytes are
/// looked up, and only then strings are compared. Most of the content is skipped at the speed of reading it.
struct SecretPatterns: Sendable {
    /// The replacement of a secret.
    static let mark = Array("***".utf8)

    /// The limit of readings compared with one string from one position.
    private static let waysMax = 16

    /// The match at a position.
    struct Finding: Equatable {
        /// The length of the longest match, in escaped form.
        var length: Int?
        /// Whether more content may yield another or a longer match.
        var isOpen = false

        static let nothing = Finding()
    }

    /// The strings by their first four bytes.
    private var byStart: [UInt32: [[UInt8]]] = [:]
    /// These first four bytes in order.
    private var starts: [UInt32] = []
    /// The pairs of bytes with which a string may begin, plain or escaped.
    private var pairs = [UInt64](repeating: 0, count: 1_024)

    /// A string with which a token of a callback URL begins, whatever follows; empty for none.
    private var opening: [UInt8] = []

    var isEmpty: Bool { starts.isEmpty }

    /// Adds the string with which a token begins: all that may belong to the token is found with it.
    mutating func insert(opening: [UInt8]) {
        self.opening = opening
        insert(opening)
    }

    /// Adds `pattern`; at least four bytes.
    mutating func insert(_ pattern: [UInt8]) {
        guard pattern.count >= SecretForms.bytesMin else { return }
        if isEmpty { markEscapes() }
        let key = pattern[..<4].reduce(0) { $0 << 8 | UInt32($1) }
        if byStart[key]?.contains(pattern) ?? false { return }
        byStart[key, default: []].append(pattern)
        let place = place(of: key)
        if place == starts.count || starts[place] != key { starts.insert(key, at: place) }
        for second in [pattern[1], 0x5C, 0x25, 0x26] { mark(pattern[0], second) }
        if pattern[1] == 0x20 { mark(pattern[0], 0x2B) }
        if let letter = Self.escapeLetter(of: pattern[0]) { mark(0x5C, letter) }
        for digits in ["0123456789abcdef", "0123456789ABCDEF"] {
            mark(0x25, Array(digits.utf8)[Int(pattern[0] >> 4)])
        }
        guard pattern[0] == 0x20 else { return }
        mark(0x5C, 0x2B)
        for second in UInt8.min...UInt8.max { mark(0x2B, second) }
    }

    /// The character behind a backslash that stands for `byte`; nil when it is only written as a number.
    private static func escapeLetter(of byte: UInt8) -> UInt8? {
        switch byte {
        case 0x08: UInt8(ascii: "b")
        case 0x0C: UInt8(ascii: "f")
        case 0x0A: UInt8(ascii: "n")
        case 0x0D: UInt8(ascii: "r")
        case 0x09: UInt8(ascii: "t")
        case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: byte
        default: nil
        }
    }

    /// Marks what may stand for any character: numbers, and what stands for the beginning of another escape.
    private mutating func markEscapes() {
        for second in #"ux\%&"#.utf8 { mark(0x5C, second) }
        for second in "25".utf8 { mark(0x25, second) }
        for second in "#abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8 { mark(0x26, second) }
    }

    private mutating func mark(_ first: UInt8, _ second: UInt8) {
        let pair = Int(first) << 8 | Int(second)
        pairs[pair >> 6] |= 1 << UInt64(pair & 63)
    }

    /// `bytes` with the mark for everything that was found; nil when nothing was.
    func replaced(in bytes: [UInt8]) -> [UInt8]? {
        guard !isEmpty else { return nil }
        var output: [UInt8] = []
        var copied = 0
        var hasFound = false
        var index = 0
        while true {
            index = nextStart(in: bytes.span, from: index)
            guard index + SecretForms.bytesMin <= bytes.count else { break }
            guard let length = finding(in: bytes, at: index, isWhole: true).length else {
                index += 1
                continue
            }
            hasFound = true
            output += bytes[copied..<index]
            output += Self.mark
            index += length
            copied = index
        }
        guard hasFound else { return nil }
        output += bytes[copied...]
        return output
    }

    /// Whether a string may be in `bytes`: most texts have no pair of bytes with which one begins.
    func mayBe(in bytes: Span<UInt8>) -> Bool {
        !isEmpty && nextStart(in: bytes, from: 0) + SecretForms.bytesMin <= bytes.count
    }

    /// The first position from `index` on at which a string may begin; the last position when there is none.
    func nextStart(in bytes: Span<UInt8>, from index: Int) -> Int {
        let pairs = pairs.span
        var index = index
        while index + 1 < bytes.count {
            let pair = Int(bytes[index]) << 8 | Int(bytes[index + 1])
            if pairs[pair >> 6] >> UInt64(pair & 63) & 1 == 1 { return index }
            index += 1
        }
        return index
    }

    /// The match at `index`.
    /// - Parameter isWhole: whether `bytes` is the whole content.
    func finding(in bytes: [UInt8], at index: Int, isWhole: Bool) -> Finding {
        guard index + 1 < bytes.count else {
            return Finding(isOpen: !isWhole && begins(bytes[index]))
        }
        guard begins(bytes[index], bytes[index + 1]) else { return .nothing }
        let reader = EscapeReader(bytes: bytes, isWhole: isWhole)
        var finding = Finding()
        for key in keys(at: index, reader, &finding) {
            for pattern in byStart[key] ?? [] {
                guard pattern == opening else {
                    Self.follow(pattern, from: index, reader, &finding)
                    continue
                }
                followToken(from: index, reader, &finding)
            }
        }
        return finding
    }

    private func begins(_ first: UInt8) -> Bool {
        pairs[Int(first) << 2..<(Int(first) + 1) << 2].contains { $0 != 0 }
    }

    private func begins(_ first: UInt8, _ second: UInt8) -> Bool {
        let pair = Int(first) << 8 | Int(second)
        return pairs[pair >> 6] >> UInt64(pair & 63) & 1 == 1
    }

    // MARK: What is written

    /// The first four bytes of the strings that may begin at `index`.
    private func keys(at index: Int, _ reader: EscapeReader, _ finding: inout Finding) -> [UInt32] {
        let bytes = reader.bytes
        if index + 4 <= bytes.count {
            let plain = bytes[index..<index + 4]
            if !plain.contains(where: { EscapeReader.opens($0) || $0 == 0x2B }) {
                let key = plain.reduce(0) { $0 << 8 | UInt32($1) }
                return byStart[key] == nil ? [] : [key]
            }
        }
        // Most escapes are no secret's beginning, and then there is nothing to follow.
        var begins = false
        Self.forEachReading(at: index, reader, &finding) { unit in
            let (key, count) = Self.key(0, 0, with: unit)
            if !begins { begins = hasStart(key, count) }
        }
        guard begins else { return [] }
        var found: [UInt32] = []
        var open: [(key: UInt32, count: Int, at: Int)] = [(0, 0, index)]
        var next = 0
        while next < open.count {
            let (key, count, at) = open[next]
            next += 1
            if count == 4 {
                if !found.contains(key) { found.append(key) }
                continue
            }
            Self.forEachReading(at: at, reader, &finding) { unit in
                let (key, count) = Self.key(key, count, with: unit)
                guard hasStart(key, count), !open.contains(where: { $0 == (key, count, unit.end) }) else {
                    return
                }
                open.append((key, count, unit.end))
            }
        }
        return found
    }

    /// The first bytes of a string, at most four, with those of `unit` behind them.
    private static func key(
        _ key: UInt32, _ count: Int, with unit: EscapeReader.Unit
    ) -> (key: UInt32, count: Int) {
        var (key, count) = (key, count)
        for index in 0..<unit.count where count < 4 {
            key = key << 8 | UInt32(unit.byte(index))
            count += 1
        }
        return (key, count)
    }

    /// Whether some string begins with the `count` bytes that make up `key`.
    private func hasStart(_ key: UInt32, _ count: Int) -> Bool {
        let shift = UInt32(32 - count * 8)
        let place = place(of: key << shift)
        return place < starts.count && starts[place] >> shift == key
    }

    /// The position of the first key that is not smaller.
    private func place(of key: UInt32) -> Int {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Compares the decoded text from `start` on with `pattern`.
    private static func follow(
        _ pattern: [UInt8], from start: Int, _ reader: EscapeReader, _ finding: inout Finding
    ) {
        let bytes = reader.bytes
        // Only a value that itself contains backslashes, percent signs or ampersands has several readings.
        var ways: [(matched: Int, at: Int)] = []
        var open: [(matched: Int, at: Int)] = [(0, start)]
        while var (matched, at) = open.popLast() {
            while matched < pattern.count, at < bytes.count, bytes[at] == pattern[matched],
                !EscapeReader.opens(bytes[at])
            {
                matched += 1
                at += 1
            }
            if matched == pattern.count {
                finding.length = max(finding.length ?? 0, at - start)
                continue
            }
            let others = open.count
            forEachReading(at: at, reader, &finding) { unit in
                guard matched + unit.count <= pattern.count,
                    (0..<unit.count).allSatisfy({ unit.byte($0) == pattern[matched + $0] })
                else { return }
                let next = (matched: matched + unit.count, at: unit.end)
                if open.count > others {
                    guard ways.count < waysMax, !ways.contains(where: { $0 == next }) else { return }
                    ways.append(next)
                }
                open.append(next)
            }
        }
    }

    /// Finds a token that begins at `start`, up to the last byte that may belong to it.
    private func followToken(from start: Int, _ reader: EscapeReader, _ finding: inout Finding) {
        var begin = Finding()
        Self.follow(opening, from: start, reader, &begin)
        finding.isOpen = finding.isOpen || begin.isOpen
        guard let length = begin.length else { return }
        var at = start + length
        let end = start + Self.tokenBytesMax
        while at < end {
            guard at < reader.bytes.count else {
                finding.isOpen = finding.isOpen || !reader.isWhole
                break
            }
            var next: Int?
            Self.forEachReading(at: at, reader, &finding) { unit in
                if let byte = unit.single, CallbackToken.isDigit(byte) { next = max(next ?? 0, unit.end) }
            }
            guard let next else { break }
            at = next
        }
        finding.length = max(finding.length ?? 0, at - start)
    }

    /// The longest token with each byte escaped.
    private static let tokenBytesMax = 6 * CallbackToken.bytesMax

    /// Enumerates the readings at a position; a plus sign may be a space, as in forms.
    private static func forEachReading(
        at index: Int, _ reader: EscapeReader, _ finding: inout Finding,
        _ body: (EscapeReader.Unit) -> Void
    ) {
        var before: EscapeReader.Unit?
        for depth in 0...EscapeReader.depthMax {
            guard let unit = reader.unit(at: index, depth: depth) else {
                if !reader.isWhole { finding.isOpen = true }
                return
            }
            if unit == before { return }
            before = unit
            body(unit)
            if unit.single == 0x2B { body(EscapeReader.Unit(0x20, end: unit.end)) }
            if depth == 0, !EscapeReader.opens(reader.bytes[index]) { return }
        }
    }
}
