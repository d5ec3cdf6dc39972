internal import StrictJSON

/// A small regular expression with linear run time.
///
/// It has literals, `.`, classes such as `[a-z0-9_]` and `[^ ]`, `\d \D \w \W \s \S` (ASCII), `\n \r \t`, escapes of
/// punctuation, `^` and `$` (whole text), groups, `|`, and `* + ? {n} {n,} {n,m}`. There are no captures, back
/// references, look-arounds or lazy quantifiers: they are irrelevant for whether a text matches, or could take
/// exponential time. A pattern matches anywhere in the text unless it is anchored. The time is at most the length of
/// the text times the size of the pattern, as all alternatives are followed at once (Thompson 1968); `PatternMatcher`
/// remembers them, so that it is nearly always the length of the text.
struct Pattern: Sendable {
    /// The longest pattern in bytes.
    static let bytesMax = 256
    /// The limit of steps in a compiled pattern, with repetitions expanded.
    static let stepsMax = 512

    let steps: [Step]

    /// One step of the program.
    enum Step: Sendable {
        case one(CharacterSet)
        /// Both branches are followed.
        case split(Int, Int)
        case jump(Int)
        case atStart, atEnd
        case match
    }

    /// A set of characters.
    struct CharacterSet: Sendable {
        var ranges: [ClosedRange<UInt32>]
        var isNegated = false

        func contains(_ scalar: UInt32) -> Bool {
            for range in ranges where range.contains(scalar) { return !isNegated }
            return isNegated
        }
    }

    /// Compiles a pattern.
    /// - Throws: `PatternError` with the problem.
    init(_ text: String) throws(PatternError) {
        guard text.utf8.count <= Self.bytesMax else {
            throw PatternError(
                "A pattern has at most \(Self.bytesMax) bytes; this one has \(text.utf8.count).")
        }
        var reader = PatternReader(text)
        let node = try reader.whole()
        var steps: [Step] = []
        try node.append(to: &steps)
        steps.append(.match)
        self.steps = steps
    }
}

/// A text that is not a pattern.
struct PatternError: Error, Sendable, Hashable {
    let detail: String

    init(_ detail: String) { self.detail = detail }
}
