import StrictJSON
import Testing

@Suite(.enabled(if: PythonOracle.isAvailable, "needs python3"))
struct `Compared with Python, the parser` {
    @Test func `agrees on the corpus`() throws {
        try compare(CorpusDocument.all.map(\.bytes))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `agrees on changed documents`(seed: UInt64) throws {
        var mutator = DocumentMutator(seed: seed)
        let documents = CorpusDocument.all.filter { $0.bytes.count < 500 }
            .flatMap { document in (0..<12).map { _ in mutator.mutate(document.bytes) } }
        try compare(documents)
    }

    @Test(arguments: [4, 5] as [UInt64])
    func `agrees on random values, whole and damaged`(seed: UInt64) throws {
        var random = RandomValues(seed: seed)
        var mutator = DocumentMutator(seed: seed)
        let whole = (0..<400).map { _ in random.value().encoded() }
        try compare(whole + whole.filter { $0.count < 2000 }.map { mutator.mutate($0) })
    }

    private func compare(_ documents: [[UInt8]]) throws {
        let verdicts = try PythonOracle.verdicts(on: documents)
        try #require(verdicts.count == documents.count)
        var accepted = 0
        for (document, verdict) in zip(documents, verdicts) {
            let text = Comment(
                rawValue: String(decoding: document.prefix(200), as: UTF8.self).debugDescription)
            do {
                let value = try JSONParser.parse(document)
                #expect(verdict == .accepted(marked(value).encoded()), text)
                accepted += 1
            } catch {
                let isOurLimit = error.code == .depth || error.detail.contains("at most 64 are allowed")
                if case .accepted = verdict { #expect(isOurLimit, text) }
                if case .lenient(let reason) = verdict {
                    #expect(codes(for: reason).contains(error.code), text)
                }
            }
        }
        #expect(accepted >= 80, "too few documents were accepted to compare anything")
    }

    /// Python gives one reason; the document may have an earlier problem of another kind only within these.
    private func codes(for leniency: String) -> [JSONParseError.Code] {
        switch leniency {
        case "duplicate": [.duplicateMember, .escape, .number, .syntax, .depth]
        case "surrogate": [.escape, .duplicateMember, .number, .depth]
        default: [.number, .syntax, .escape, .duplicateMember, .utf8, .depth]
        }
    }

    /// The tree in the oracle's form: `#` before the text of numbers, `$` before strings and names.
    private func marked(_ value: JSONValue) -> JSONValue {
        switch value {
        case .number(let number): .string("#" + number.text)
        case .string(let text): .string("$" + text)
        case .array(let elements): .array(elements.map(marked))
        case .object(let object):
            .object(
                JSONObject(
                    uniqueMembers: object.members.map { .init(name: "$" + $0.name, value: marked($0.value)) })
            )
        case .null, .bool: value
        }
    }
}

@Suite(.enabled(if: PythonOracle.isAvailable, "needs python3"))
struct `Compared with Python's decimals, a number` {
    private static let script = """
        import sys
        from decimal import Decimal
        for line in open(sys.argv[1]):
            left, right, canonical = [Decimal(text) for text in line.split()]
            whole = int(left == left.to_integral_value()) if abs(left.adjusted()) < 20 else 9
            print(int(left < right), int(left == right), int(left == canonical), whole)
        """

    @Test func `has the same order, equality and canonical value`() throws {
        var mutator = DocumentMutator(seed: 7)
        let numbers = try (0..<3000).map { _ in try #require(JSONNumber(text: randomNumber(&mutator))) }
        let pairs = Array(zip(numbers, numbers.dropFirst() + numbers.prefix(1)))
        let input = pairs.map { "\($0.text) \($1.text) \($0.canonical.text)\n" }.joined()
        let lines = try PythonOracle.run(Self.script, input: input).split(separator: "\n")
        try #require(lines.count == pairs.count)
        for ((left, right), line) in zip(pairs, lines) {
            let flags = line.split(separator: " ")
            let comment: Comment = "\(left.text) and \(right.text)"
            #expect(left.isLess(than: right) == (flags[0] == "1"), comment)
            #expect(left.isNumericallyEqual(to: right) == (flags[1] == "1"), comment)
            #expect(flags[2] == "1", comment)
            #expect(left.canonical.canonical == left.canonical, comment)
            if flags[3] != "9" { #expect(left.isInteger == (flags[3] == "1"), comment) }
        }
    }

    /// Few different digits and exponents, so that equal values in different spellings occur.
    private func randomNumber(_ random: inout DocumentMutator) -> String {
        let signs = ["", "-"]
        let whole = ["0", "1", "10", "100", "12", "9", "123456789"]
        let fractions = ["", ".0", ".5", ".50", ".000", ".001", ".10"]
        let exponents = ["", "e0", "e1", "E2", "e-1", "e-2", "E+3", "e30", "e-30"]
        return signs[random.below(2)] + whole[random.below(whole.count)]
            + fractions[random.below(fractions.count)]
            + exponents[random.below(exponents.count)]
    }
}
