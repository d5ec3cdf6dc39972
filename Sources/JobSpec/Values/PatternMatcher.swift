internal import JobKit
internal import StrictJSON

// DESIGN
// The steps that are waited at after a character are a *stand*. What each class of characters makes of a stand is
// worked out when it is first needed and remembered, so that a text costs a look into a table for each character (a
// deterministic automaton that is built lazily). A pattern may have more stands than memory should hold: then all are
// forgotten, and the work goes on with those that are needed next. Each stand that is worked out is paid for, so the
// worst case ends by the meter and not by a clock.

/// Finds one pattern in texts.
struct PatternMatcher {
    /// The most entries of the table, and steps of all stands, that are remembered: half a MiB.
    private static let entriesMax = 1 << 16
    private static let waitingMax = 1 << 15
    /// Marks an entry of the table that is not worked out.
    private static let unknown: Int32 = -1

    /// The expectations between two characters.
    private struct Stand {
        /// The steps that wait for a character, in the order of their discovery.
        var steps: [Int]
        /// Whether the pattern is found already.
        var isFound: Bool
        /// Whether it is found if the text ends here.
        var isFoundAtEnd: Bool
    }

    private struct Key: Hashable {
        var steps: [Int]
        var isFound: Bool
        var isFoundAtEnd: Bool
    }

    private let steps: [Pattern.Step]
    /// The lower bounds of the classes of characters that no step tells apart, in order; the first is 0.
    private let bounds: [UInt32]
    /// The classes of ASCII.
    private let ascii: [Int]
    /// For each step that waits for a character, whether it takes each class.
    private let takes: [[Bool]]

    private var stands: [Stand] = []
    private var places: [Key: Int32] = [:]
    /// The next stand by stand and class.
    private var next: [Int32] = []
    /// The number of steps of all stands, and how often all were forgotten.
    private var waitingCount = 0
    private var forgotten = 0
    private var marks: [Int]
    private var generation = 0

    init(_ pattern: Pattern) {
        steps = pattern.steps
        let bounds = Self.bounds(of: steps)
        self.bounds = bounds
        ascii = (0..<128).map { Self.classNumber(UInt32($0), bounds) }
        takes = steps.map { step in
            guard case .one(let set) = step else { return [] }
            return bounds.map { set.contains($0) }
        }
        marks = [Int](repeating: 0, count: steps.count)
    }

    /// Whether the pattern is found in the text.
    /// - Throws: `evaluation.too_long` when the meter ends it.
    mutating func isFound(in text: String, _ meter: StepMeter) throws(AOperationError) -> Bool {
        let bytes = text.utf8.span
        var stand = try stand(from: [0], isStart: true, meter)
        var index = 0
        var paid = 0
        while true {
            if stands[Int(stand)].isFound { return true }
            guard index < bytes.count else { return stands[Int(stand)].isFoundAtEnd }
            if index >= paid {
                try meter.spend(1 << 10, on: .matching)
                paid = index + (1 << 10)
            }
            let kind: Int
            if bytes[index] < 0x80 {
                kind = ascii[Int(bytes[index])]
                index += 1
            } else {
                kind = Self.classNumber(Self.scalar(in: bytes, at: &index), bounds)
            }
            let known = next[Int(stand) * bounds.count + kind]
            stand = known >= 0 ? known : try follow(stand, kind, meter)
        }
    }

    // MARK: Stands

    /// Works out what a character of the class `kind` makes of a stand.
    private mutating func follow(
        _ stand: Int32, _ kind: Int, _ meter: StepMeter
    ) throws(AOperationError) -> Int32 {
        let waiting = stands[Int(stand)].steps
        var seeds: [Int] = []
        for step in waiting where takes[step][kind] { seeds.append(step + 1) }
        try meter.spend(128 + waiting.count, on: .matching)
        // The pattern may begin behind each character.
        seeds.append(0)
        let before = forgotten
        let found = try self.stand(from: seeds, isStart: false, meter)
        if forgotten == before { next[Int(stand) * bounds.count + kind] = found }
        return found
    }

    /// The stand at `seeds`, with everything that needs no character.
    private mutating func stand(
        from seeds: [Int], isStart: Bool, _ meter: StepMeter
    ) throws(AOperationError) -> Int32 {
        let open = close(seeds, isStart: isStart, isEnd: false)
        let atEnd = close(seeds, isStart: isStart, isEnd: true)
        try meter.spend(8 * (open.visited + atEnd.visited), on: .matching)
        let key = Key(steps: open.waiting, isFound: open.isFound, isFoundAtEnd: atEnd.isFound)
        if let place = places[key] { return place }
        if next.count + bounds.count > Self.entriesMax || waitingCount + key.steps.count > Self.waitingMax {
            stands.removeAll(keepingCapacity: true)
            places.removeAll(keepingCapacity: true)
            next.removeAll(keepingCapacity: true)
            waitingCount = 0
            forgotten += 1
        }
        waitingCount += key.steps.count
        let place = Int32(stands.count)
        stands.append(Stand(steps: key.steps, isFound: key.isFound, isFoundAtEnd: key.isFoundAtEnd))
        places[key] = place
        next.append(contentsOf: repeatElement(Self.unknown, count: bounds.count))
        return place
    }

    /// Follows everything that needs no character.
    private mutating func close(
        _ seeds: [Int], isStart: Bool, isEnd: Bool
    ) -> (waiting: [Int], isFound: Bool, visited: Int) {
        generation += 1
        var waiting: [Int] = []
        var isFound = false
        var visited = 0
        var open = Array(seeds.reversed())
        while let step = open.popLast() {
            guard marks[step] != generation else { continue }
            marks[step] = generation
            visited += 1
            switch steps[step] {
            case .match: isFound = true
            case .one: waiting.append(step)
            case .jump(let other): open.append(other)
            case .split(let one, let other):
                open.append(other)
                open.append(one)
            case .atStart: if isStart { open.append(step + 1) }
            case .atEnd: if isEnd { open.append(step + 1) }
            }
        }
        return (waiting.sorted(), isFound, visited)
    }

    // MARK: Characters

    private static func bounds(of steps: [Pattern.Step]) -> [UInt32] {
        var bounds: Set<UInt32> = [0]
        for case .one(let set) in steps {
            for range in set.ranges {
                bounds.insert(range.lowerBound)
                bounds.insert(range.upperBound + 1)
            }
        }
        return bounds.sorted()
    }

    /// The last class that begins at `scalar` or below.
    private static func classNumber(_ scalar: UInt32, _ bounds: [UInt32]) -> Int {
        var (low, high) = (0, bounds.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if bounds[middle] <= scalar { low = middle } else { high = middle }
        }
        return low
    }

    /// Decodes a character of two to four bytes; the text is valid UTF-8.
    private static func scalar(in bytes: Span<UInt8>, at index: inout Int) -> UInt32 {
        let first = bytes[index]
        let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        var value = UInt32(first) & (count == 4 ? 0x07 : count == 3 ? 0x0F : 0x1F)
        for offset in 1..<count where index + offset < bytes.count {
            value = value << 6 | UInt32(bytes[index + offset] & 0x3F)
        }
        index += count
        return value
    }
}
