/// The syntax tree of a pattern.
indirect enum PatternNode {
    case empty
    case one(Pattern.CharacterSet)
    case atStart, atEnd
    case sequence([PatternNode])
    case choice([PatternNode])
    case repeated(PatternNode, least: Int, most: Int?)

    /// Appends the steps of this part.
    func append(to steps: inout [Pattern.Step]) throws(PatternError) {
        guard steps.count < Pattern.stepsMax else {
            throw PatternError(
                "The pattern is too large: its repetitions written out are more than \(Pattern.stepsMax) steps."
            )
        }
        switch self {
        case .empty: break
        case .one(let set): steps.append(.one(set))
        case .atStart: steps.append(.atStart)
        case .atEnd: steps.append(.atEnd)
        case .sequence(let parts): for part in parts { try part.append(to: &steps) }
        case .choice(let ways): try Self.append(ways, to: &steps)
        case .repeated(let part, let least, let most):
            for _ in 0..<least {
                let before = steps.count
                try part.append(to: &steps)
                // A repetition of nothing is nothing.
                if steps.count == before { return }
            }
            if let most {
                try Self.appendOptional(part, times: most - least, to: &steps)
            } else {
                try Self.appendLoop(part, to: &steps)
            }
        }
    }

    private static func append(_ ways: [PatternNode], to steps: inout [Pattern.Step]) throws(PatternError) {
        var ends: [Int] = []
        for (index, way) in ways.enumerated() {
            guard index < ways.count - 1 else {
                try way.append(to: &steps)
                break
            }
            let split = steps.count
            steps.append(.split(split + 1, 0))
            try way.append(to: &steps)
            ends.append(steps.count)
            steps.append(.jump(0))
            steps[split] = .split(split + 1, steps.count)
        }
        for end in ends { steps[end] = .jump(steps.count) }
    }

    private static func appendOptional(
        _ part: PatternNode, times: Int, to steps: inout [Pattern.Step]
    ) throws(PatternError) {
        var splits: [Int] = []
        for _ in 0..<times {
            splits.append(steps.count)
            steps.append(.split(0, 0))
            try part.append(to: &steps)
        }
        for split in splits { steps[split] = .split(split + 1, steps.count) }
    }

    private static func appendLoop(_ part: PatternNode, to steps: inout [Pattern.Step]) throws(PatternError) {
        let split = steps.count
        steps.append(.split(0, 0))
        try part.append(to: &steps)
        steps.append(.jump(split))
        steps[split] = .split(split + 1, steps.count)
    }
}

/// Reads a pattern from left to right.
struct PatternReader {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func whole() throws(PatternError) -> PatternNode {
        let node = try choice()
        if position < scalars.count {
            throw PatternError("There is a \")\" without \"(\". Write \\) for the character.")
        }
        return node
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private mutating func choice() throws(PatternError) -> PatternNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= 32 else { throw PatternError("Groups are nested more than 32 deep.") }
        var ways = [try sequence()]
        while take("|") { ways.append(try sequence()) }
        return ways.count == 1 ? ways[0] : .choice(ways)
    }

    private mutating func sequence() throws(PatternError) -> PatternNode {
        var parts: [PatternNode] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            parts.append(try repeated(try single()))
        }
        return parts.isEmpty ? .empty : .sequence(parts)
    }

    private mutating func single() throws(PatternError) -> PatternNode {
        let scalar = scalars[position]
        position += 1
        switch scalar {
        case ".": return .one(.init(ranges: [0x0A...0x0A], isNegated: true))
        case "^": return .atStart
        case "$": return .atEnd
        case "[": return .one(try characterClass())
        case "\\": return .one(try escape())
        case "(":
            if take("?"), !take(":") {
                throw PatternError("\"(?\" has no meaning here; groups are written ( ) or (?: ).")
            }
            let node = try choice()
            guard take(")") else {
                throw PatternError("There is a \"(\" without \")\". Write \\( for the character.")
            }
            return node
        case "*", "+", "?", "{":
            throw PatternError(
                "\"\(scalar)\" repeats the preceding item, and there is none. Write \\\(scalar) for the character."
            )
        default: return .one(.init(ranges: [scalar.value...scalar.value]))
        }
    }

    private mutating func repeated(_ node: PatternNode) throws(PatternError) -> PatternNode {
        let (least, most): (Int, Int?)
        if take("*") {
            (least, most) = (0, nil)
        } else if take("+") {
            (least, most) = (1, nil)
        } else if take("?") {
            (least, most) = (0, 1)
        } else if take("{") {
            (least, most) = try bounds()
        } else {
            return node
        }
        if let scalar = next, "*+?{".unicodeScalars.contains(scalar) {
            throw PatternError("Two repetitions follow each other. Put the first one into ( ).")
        }
        return .repeated(node, least: least, most: most)
    }

    /// The rest of `{n}`, `{n,}` or `{n,m}`.
    private mutating func bounds() throws(PatternError) -> (Int, Int?) {
        guard let least = number() else { throw PatternError("A repetition is written {n}, {n,} or {n,m}.") }
        var most: Int? = least
        if take(",") { most = number() }
        guard take("}"), most.map({ $0 >= least && $0 <= 255 }) ?? true, least <= 255 else {
            throw PatternError(
                "A repetition is written {n}, {n,} or {n,m}, with n and m at most 255 and in order.")
        }
        return (least, most)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let scalar = next, ("0"..."9").contains(scalar), (value ?? 0) < 1_000 {
            value = (value ?? 0) * 10 + Int(scalar.value - 0x30)
            position += 1
        }
        return value
    }

    /// The rest of a class after its `[`.
    private mutating func characterClass() throws(PatternError) -> Pattern.CharacterSet {
        var set = Pattern.CharacterSet(ranges: [], isNegated: take("^"))
        while let scalar = next, scalar != "]" || set.ranges.isEmpty {
            position += 1
            var first = Pattern.CharacterSet(ranges: [scalar.value...scalar.value])
            if scalar == "\\" { first = try escape() }
            guard let low = first.ranges.first, first.ranges.count == 1, low.count == 1, next == "-",
                position + 1 < scalars.count, scalars[position + 1] != "]"
            else {
                guard !first.isNegated else {
                    throw PatternError("\\D, \\W and \\S are not permitted inside [ ].")
                }
                set.ranges += first.ranges
                continue
            }
            position += 1
            var high = scalars[position].value
            position += 1
            if high == 0x5C { high = try escape().ranges.first?.lowerBound ?? 0 }
            guard low.lowerBound <= high else {
                throw PatternError("A range in [ ] is written from low to high.")
            }
            set.ranges.append(low.lowerBound...high)
        }
        guard take("]") else {
            throw PatternError("There is a \"[\" without \"]\". Write \\[ for the character.")
        }
        return set
    }

    /// The rest of an escape after its backslash.
    private mutating func escape() throws(PatternError) -> Pattern.CharacterSet {
        guard let scalar = next else { throw PatternError("The pattern ends in a backslash.") }
        position += 1
        let digits: [ClosedRange<UInt32>] = [0x30...0x39]
        let words: [ClosedRange<UInt32>] = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
        let spaces: [ClosedRange<UInt32>] = [0x09...0x0D, 0x20...0x20]
        switch scalar {
        case "d": return .init(ranges: digits)
        case "D": return .init(ranges: digits, isNegated: true)
        case "w": return .init(ranges: words)
        case "W": return .init(ranges: words, isNegated: true)
        case "s": return .init(ranges: spaces)
        case "S": return .init(ranges: spaces, isNegated: true)
        case "n": return .init(ranges: [0x0A...0x0A])
        case "r": return .init(ranges: [0x0D...0x0D])
        case "t": return .init(ranges: [0x09...0x09])
        default:
            let isLetter =
                scalar.value < 0x80 && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            guard !isLetter else { throw PatternError("\\\(scalar) has no meaning here.") }
            return .init(ranges: [scalar.value...scalar.value])
        }
    }
}
