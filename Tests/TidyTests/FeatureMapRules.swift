/// What `Docs/Coming-from.md` must hold: one row for each feature of the libraries whose users it speaks to, and for
/// each row tests that exist, or the reason why there is none.
enum FeatureMapRules {
    /// The features by the first letters of their numbers.
    private static let features: [(letters: String, numbers: [ClosedRange<Int>])] = [
        ("OK", [1...12]),
        ("AC", [1...9]),
        ("AK", [1...13, 20...24, 30...33]),
        ("AO", [1...14, 20...36, 40...57, 60...62]),
        ("OP", [1...32]),
        ("PK", [1...10, 20...32, 40...47, 60...76]),
    ]

    /// The number of every feature, such as `AO-20`.
    static let numbers: [String] = features.flatMap { feature in
        feature.numbers.flatMap { $0.map { "\(feature.letters)-\($0)" } }
    }

    private struct Row {
        let line: Int
        let cells: [String]
    }

    /// Features without a row or with two, rows without a feature, tests that do not exist, and empty excuses.
    ///
    /// - Parameter tests: the sentences of the tests by the name of their file without its ending.
    static func findings(in document: SourceFile, tests: [String: Set<String>]) -> [Finding] {
        let rows = rows(of: document)
        var found: [Finding] = []
        for number in numbers where !rows.contains(where: { $0.cells[0] == number }) {
            found.append(Finding(path: document.path, line: 1, message: "\(number) has no row"))
        }
        var seen: Set<String> = []
        for row in rows {
            let messages = complaints(about: row, isFirst: seen.insert(row.cells[0]).inserted, tests)
            found += messages.map { Finding(path: document.path, line: row.line, message: $0) }
        }
        return found
    }

    /// The sentences of all tests by the name of their file without its ending.
    static func sentences(of files: [SourceFile]) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for file in files {
            let stem = String((file.parts.last ?? "").dropLast(6))
            for line in file.lines {
                let parts = line.split(separator: "`", omittingEmptySubsequences: false)
                guard parts.count == 3, parts[0].hasSuffix("func ") else { continue }
                found[stem, default: []].insert(String(parts[1]))
            }
        }
        return found
    }

    private static func rows(of document: SourceFile) -> [Row] {
        document.lines.enumerated().compactMap { index, line in
            guard line.hasPrefix("| "), line.hasSuffix(" |") else { return nil }
            let cells = line.dropFirst(2).dropLast(2).replacing("\\|", with: "¦").split(
                separator: "|", omittingEmptySubsequences: false
            ).map { trimmed($0) }
            guard let first = cells.first, isNumber(first) else { return nil }
            return Row(line: index + 1, cells: cells)
        }
    }

    private static func complaints(
        about row: Row, isFirst: Bool, _ tests: [String: Set<String>]
    ) -> [String] {
        let number = row.cells[0]
        guard numbers.contains(number) else { return ["there is no feature \(number)"] }
        guard isFirst else { return ["\(number) has two rows"] }
        guard row.cells.count == 5, !row.cells[1].isEmpty else { return ["\(number) needs five cells"] }
        let proof = row.cells[4]
        if proof.hasPrefix("none: ") {
            return proof.count < 20 ? ["\(number) gives no reason why there is none"] : []
        }
        guard !row.cells[2].isEmpty || !row.cells[3].isEmpty else { return ["\(number) has no name here"] }
        return proof.replacing("<br>", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
            .compactMap { test in
                let halves = test.split(separator: ":", maxSplits: 1).map { trimmed($0) }
                guard halves.count == 2, tests[halves[0]]?.contains(halves[1]) == true else {
                    return "\(number) names a test that does not exist: \(test)"
                }
                return nil
            }
    }

    private static func isNumber(_ text: String) -> Bool {
        let halves = text.split(separator: "-")
        return halves.count == 2 && halves[0].count == 2 && Int(halves[1]) != nil
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}
