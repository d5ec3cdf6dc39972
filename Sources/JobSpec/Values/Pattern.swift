/// A small regular expression with linear run time.
///
/// It has literals, `.`, classes such as `[a-z0-9_]` and `[^ ]`, `\d \D \w \W \s \S` (ASCII), `\n \r \t`, escapes of
/// punctuation, `^` and `$` (whole text), groups, `|`, and `* + ? {n} {n,} {n,m}`. There are no captures, back
/// references, look-arounds or lazy quantifiers: they are irrelevant for whether a text matches, or could take
/// exponential time. A pattern matches anywhere in the text unless it is anchored. The time is the length of the text
/// times the size of the pattern: all alternatives are followed at once (Thompson 1968).
struct Pattern: Sendable {
    /// The longest pattern in bytes.
    static let bytesMax = 256
    /// The longest text in bytes; a longer one does not match.
    static let subjectBytesMax = 64 << 10
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

    /// Whether the pattern is found in the text.
    func isFound(in text: String) -> Bool {
        guard text.utf8.count <= Self.subjectBytesMax else { return false }
        var now = Threads(count: steps.count)
        var next = Threads(count: steps.count)
        var isStart = true
        var scalars = text.unicodeScalars.makeIterator()
        var scalar = scalars.next()
        while true {
            if add(0, to: &now, isStart: isStart, isEnd: scalar == nil) { return true }
            guard let current = scalar else { return false }
            scalar = scalars.next()
            isStart = false
            next.clear()
            for step in now.list {
                guard case .one(let set) = steps[step], set.contains(current.value) else { continue }
                if add(step + 1, to: &next, isStart: false, isEnd: scalar == nil) { return true }
            }
            swap(&now, &next)
        }
    }

    /// The steps that are waited at, each once.
    private struct Threads {
        private(set) var list: [Int] = []
        private var marks: [Int]
        private var generation = 1

        init(count: Int) { marks = [Int](repeating: 0, count: count) }

        mutating func clear() {
            list.removeAll(keepingCapacity: true)
            generation += 1
        }

        mutating func insert(_ step: Int) -> Bool {
            if marks[step] == generation { return false }
            marks[step] = generation
            return true
        }

        mutating func wait(at step: Int) { list.append(step) }
    }

    /// Follows everything that needs no character; true when that reaches the end of the pattern.
    private func add(_ first: Int, to threads: inout Threads, isStart: Bool, isEnd: Bool) -> Bool {
        var open = [first]
        while let step = open.popLast() {
            guard threads.insert(step) else { continue }
            switch steps[step] {
            case .match: return true
            case .one: threads.wait(at: step)
            case .jump(let other): open.append(other)
            case .split(let one, let other):
                open.append(other)
                open.append(one)
            case .atStart: if isStart { open.append(step + 1) }
            case .atEnd: if isEnd { open.append(step + 1) }
            }
        }
        return false
    }
}

/// A text that is not a pattern.
struct PatternError: Error, Sendable, Hashable {
    let detail: String

    init(_ detail: String) { self.detail = detail }
}
