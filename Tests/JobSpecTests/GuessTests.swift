import Foundation
@testable import JobSpec
import StrictJSON
import Testing

/// Specs as people write them who know another system, of `Tests/Data/guesses.json`: each is accepted, or its problems
/// lead to one that is.
@Suite struct `A guessed spec` {
    struct Guess: Sendable, CustomTestStringConvertible {
        /// The system that has such a spec.
        let system: String
        let guess: String
        /// The suggestions, by place; none for a guess that is accepted.
        let leads: [(pointer: String, suggestion: String)]
        /// The spec that they lead to; nil where it needs something that is stored.
        let right: String?

        var testDescription: String { "\(system): \(guess)" }
    }

    static let guesses: [Guess] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Data/guesses.json")
        guard let data = try? Data(contentsOf: file), let rows = try? JSONParser.parse(Array(data)).array
        else { return [] }
        return rows.compactMap { row in
            guard let row = row.object, let guess = row["guess"] else { return nil }
            let leads = (row["leads"]?.object?.members ?? []).map { ($0.name, $0.value.string ?? "") }
            return Guess(
                system: row["system"]?.string ?? "", guess: text(guess), leads: leads,
                right: row["right"].map(text))
        }
    }()

    private static func text(_ value: JSONValue) -> String {
        String(decoding: value.encoded(), as: UTF8.self)
    }

    @Test func `is one of many`() {
        #expect(Self.guesses.filter { $0.system == "newcomer" }.count >= 62)
        #expect(Self.guesses.filter { $0.system != "newcomer" }.count >= 40)
        #expect(Set(Self.guesses.map(\.system)).count >= 9)
    }

    @Test(arguments: guesses) func `is led to the right one, or works`(_ guess: Guess) {
        let found = problems(guess.guess)
        #expect(found.isEmpty == guess.leads.isEmpty, "\(found)")
        for (pointer, suggestion) in guess.leads {
            let suggestions = found.filter { $0.pointer.description == pointer }.map(\.suggestion)
            #expect(suggestions.contains(suggestion), "\(pointer): \(suggestions)")
        }
        if let right = guess.right { #expect(problems(right) == []) }
    }
}
