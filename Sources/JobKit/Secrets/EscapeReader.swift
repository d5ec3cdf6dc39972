/// Reads a content as what its escapes mean: those of JSON and JavaScript, the character references of HTML and XML,
/// and percent-encoding, each of them within another one, too.
struct EscapeReader {
    /// The limit of nested escapes, such as JSON quoted in JSON.
    static let depthMax = 3

    /// The decoded character at a position: one to four bytes, the first of them lowest, and its end.
    struct Unit: Equatable {
        let value: UInt32
        let count: Int
        let end: Int

        init(_ byte: UInt8, end: Int) {
            (value, count, self.end) = (UInt32(byte), 1, end)
        }

        /// As UTF-8; nil for an invalid scalar.
        init?(scalar: UInt32, end: Int) {
            guard let character = Unicode.Scalar(scalar), let encoded = UTF8.encode(character) else {
                return nil
            }
            var (value, count): (UInt32, Int) = (0, 0)
            for byte in encoded {
                value |= UInt32(byte) << UInt32(count * 8)
                count += 1
            }
            (self.value, self.count, self.end) = (value, count, end)
        }

        func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: value >> UInt32(index * 8)) }

        /// The only byte; nil when there are several.
        var single: UInt8? { count == 1 ? byte(0) : nil }
    }

    let bytes: [UInt8]
    /// Whether `bytes` is the whole content.
    let isWhole: Bool

    /// Whether an escape may begin with this byte.
    static func opens(_ byte: UInt8) -> Bool { byte == 0x5C || byte == 0x25 || byte == 0x26 }

    /// The decoded character at `index` with escapes nested up to this depth; nil when `bytes` ends too early.
    func unit(at index: Int, depth: Int) -> Unit? {
        guard index < bytes.count else { return nil }
        guard depth > 0, Self.opens(bytes[index]) else { return Unit(bytes[index], end: index + 1) }
        guard let first = unit(at: index, depth: depth - 1) else { return nil }
        var cursor = Cursor(reader: self, depth: depth - 1, at: first.end)
        let escape: Unit?
        switch first.single {
        case 0x25: escape = cursor.hexadecimal(2).map { Unit(UInt8($0), end: cursor.at) }
        case 0x5C: escape = cursor.behindBackslash()
        case 0x26: escape = cursor.reference()
        default: return first
        }
        if let escape { return escape }
        return cursor.isCut && !isWhole ? nil : first
    }

    /// The value of a hexadecimal digit.
    private static func worth(_ digit: UInt8) -> UInt32? {
        switch digit {
        case 0x30...0x39: UInt32(digit) - 0x30
        case 0x41...0x46, 0x61...0x66: UInt32(digit | 0x20) - 0x57
        default: nil
        }
    }

    /// Reads an escape, whose characters may be escaped themselves.
    private struct Cursor {
        let reader: EscapeReader
        let depth: Int
        var at: Int
        /// Whether the content ended inside the escape.
        var isCut = false

        mutating func next() -> UInt8? {
            guard let unit = reader.unit(at: at, depth: depth) else {
                isCut = true
                return nil
            }
            at = unit.end
            return unit.single
        }

        mutating func hexadecimal(_ count: Int) -> UInt32? {
            var value: UInt32 = 0
            for _ in 0..<count {
                guard let digit = next().flatMap(EscapeReader.worth) else { return nil }
                value = value << 4 | digit
            }
            return value
        }

        mutating func behindBackslash() -> Unit? {
            guard let letter = next() else { return nil }
            switch letter {
            case 0x75: return utf16()
            case 0x78: return hexadecimal(2).flatMap { Unit(scalar: $0, end: at) }
            case 0x62: return Unit(0x08, end: at)
            case 0x66: return Unit(0x0C, end: at)
            case 0x6E: return Unit(0x0A, end: at)
            case 0x72: return Unit(0x0D, end: at)
            case 0x74: return Unit(0x09, end: at)
            case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: return Unit(letter, end: at)
            default: return nil
            }
        }

        private mutating func utf16() -> Unit? {
            guard let high = hexadecimal(4) else { return nil }
            guard (0xD800..<0xDC00).contains(high) else { return Unit(scalar: high, end: at) }
            guard next() == 0x5C, next() == 0x75, let low = hexadecimal(4), (0xDC00..<0xE000).contains(low)
            else { return nil }
            return Unit(scalar: 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), end: at)
        }

        /// A character reference, after its `&`.
        mutating func reference() -> Unit? {
            guard let first = next() else { return nil }
            if first == 0x23 { return numbered() }
            var name: UInt64 = 0
            var letter: UInt8? = first
            for _ in 0..<8 {
                guard let byte = letter, Self.isNamed(byte) else { break }
                name = name << 8 | UInt64(byte)
                letter = next()
            }
            guard letter == 0x3B else { return nil }
            return CharacterNames.scalars[name].flatMap { Unit(scalar: $0, end: at) }
        }

        private static func isNamed(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: false
            }
        }

        private mutating func numbered() -> Unit? {
            guard var digit = next() else { return nil }
            let radix: UInt32 = digit | 0x20 == 0x78 ? 16 : 10
            if radix == 16 {
                guard let first = next() else { return nil }
                digit = first
            }
            var value: UInt32 = 0
            for _ in 0..<8 {
                guard let worth = EscapeReader.worth(digit), worth < radix, value <= 0x10FFFF else {
                    return nil
                }
                value = value * radix + worth
                guard let following = next() else { return nil }
                if following == 0x3B { return Unit(scalar: value, end: at) }
                digit = following
            }
            return nil
        }
    }
}

/// The names of characters that encoders for HTML and XML use: those of ASCII, of Latin-1 and of the euro.
enum CharacterNames {
    /// Code points by name, whose letters are the bytes of the number.
    static let scalars: [UInt64: UInt32] = {
        var scalars: [UInt64: UInt32] = [:]
        for pair in ascii.split(separator: " ") {
            guard let scalar = pair.unicodeScalars.first else { continue }
            scalars[key(pair.dropFirst())] = scalar.value
        }
        for (offset, name) in latin1.split(separator: " ").enumerated() {
            scalars[key(name)] = 0xA0 + UInt32(offset)
        }
        for (name, scalar) in [("Tab", 0x09), ("NewLine", 0x0A)] as [(Substring, UInt32)] {
            scalars[key(name)] = scalar
        }
        return scalars
    }()

    private static func key(_ name: Substring) -> UInt64 { name.utf8.reduce(0) { $0 << 8 | UInt64($1) } }

    /// Each name after its character.
    private static let ascii = """
        !excl "quot "QUOT #num $dollar %percnt &amp &AMP 'apos (lpar )rpar *ast *midast +plus ,comma .period /sol \
        :colon ;semi <lt <LT =equals >gt >GT ?quest @commat [lsqb [lbrack \\bsol ]rsqb ]rbrack ^Hat _lowbar \
        _UnderBar `grave {lcub {lbrace |verbar |vert }rcub }rbrace €euro
        """

    private static let latin1 = """
        nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
        micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring \
        AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml \
        times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil \
        egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash \
        ugrave uacute ucirc uuml yacute thorn yuml
        """
}
