/// Suggests the known name that a misspelt one probably means.
package enum SpellingSuggestion {
    /// Longer names get no suggestion: comparing costs the product of the lengths.
    private static let charactersMax = 64
    /// The steps of one suggestion: a few milliseconds.
    package static let stepsMax = 1_000_000
    /// The steps for a known name, apart from its letters.
    private static let stepsPerName = 16

    /// The known name nearest to `name`; nil when none is near enough, or when that takes more than `stepsMax` steps.
    package static func nearest(to name: String, in known: some Sequence<String>) -> String? {
        var steps = stepsMax
        return nearest(to: name, in: known, steps: &steps)
    }

    /// The known name nearest to `name`; nil when none is near enough.
    ///
    /// Counts inserted, missing, wrong and swapped neighbouring letters (Damerau-Levenshtein distance), ignoring case.
    /// Near enough is one mistake in names of up to 5 letters, two up to 8, else three; in names of one or two letters
    /// only the case may differ. The first of several equally near names wins.
    /// - Parameter steps: the budget, from which the steps are taken. There is no suggestion when it does not suffice.
    package static func nearest(
        to name: String, in known: some Sequence<String>, steps: inout Int
    ) -> String? {
        let wanted = folded(name)
        guard !wanted.isEmpty, wanted.count <= charactersMax else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in known {
            guard steps > 0 else { return nil }
            let letters = folded(candidate)
            steps -= stepsPerName + letters.count
            guard !letters.isEmpty, letters.count <= charactersMax else { continue }
            let allowed = min(
                mistakesMax(in: max(wanted.count, letters.count)), min(wanted.count, letters.count) - 1)
            guard abs(letters.count - wanted.count) <= allowed else { continue }
            steps -= wanted.count * letters.count
            let distance = distance(wanted, letters)
            if distance <= allowed, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    private static func mistakesMax(in count: Int) -> Int {
        switch count {
        // With half of it wrong, nothing is left of the name: `tz` is no `to`.
        case ...2: 0
        case 3...5: 1
        case 6...8: 2
        default: 3
        }
    }

    private static func folded(_ name: String) -> [UInt32] {
        name.unicodeScalars.prefix(charactersMax + 1).map { scalar in
            (0x41...0x5A).contains(scalar.value) ? scalar.value + 0x20 : scalar.value
        }
    }

    /// The restricted Damerau-Levenshtein distance, with three rows of the usual table.
    private static func distance(_ left: [UInt32], _ right: [UInt32]) -> Int {
        var beforePrevious = [Int](repeating: 0, count: right.count + 1)
        var previous = Array(0...right.count)
        var current = beforePrevious
        for row in 1...left.count {
            current[0] = row
            for column in 1...right.count {
                let change = left[row - 1] == right[column - 1] ? 0 : 1
                var cost = min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + change)
                let isSwap =
                    row > 1 && column > 1 && left[row - 1] == right[column - 2]
                    && left[row - 2] == right[column - 1]
                if isSwap { cost = min(cost, beforePrevious[column - 2] + 1) }
                current[column] = cost
            }
            (beforePrevious, previous, current) = (previous, current, beforePrevious)
        }
        return previous[right.count]
    }
}
