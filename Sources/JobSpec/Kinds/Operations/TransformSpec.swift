internal import JobKit
internal import StrictJSON

/// A declarative transform: a value derived from another one, step by step. Pure; makes no calls.
package struct TransformSpec: Sendable, Hashable {
    /// The input. A list, when any of the steps for elements is there.
    package var input: Binding
    /// Keeps the elements that satisfy this predicate (`where`). `at` is a pointer into the element.
    package var filter: JSONPredicate?
    /// Transforms each element, which is `$item` here.
    package var each: Binding?
    /// Whether elements that are lists are replaced by their elements.
    package var flattens = false
    /// Reduces all elements to one value.
    package var reduction: Reduction?
    /// Derives the result from the value so far, which is `$item` here.
    package var result: Binding?
    /// The result when a referenced operation did not succeed; nil ends the transform as skipped then.
    package var rescue: Binding?

    /// The identity transform.
    package init(input: Binding) { self.input = input }

    /// Reduces a list to one value.
    package enum Reduction: Sendable, Hashable {
        /// The number of elements.
        case count
        /// The sum of numbers, exact; 0 for none.
        case sum
        /// The least number or text; null for none.
        case min
        /// The greatest number or text; null for none.
        case max
        /// Texts, numbers and truth values as one text.
        case join(separator: String)
        /// The first element; null for none.
        case first
        /// The last element; null for none.
        case last
        /// Objects as one object; of members with the same name the last one counts.
        case merge

        /// The word in the spec.
        package var word: String {
            switch self {
            case .count: "count"
            case .sum: "sum"
            case .min: "min"
            case .max: "max"
            case .join: "join"
            case .first: "first"
            case .last: "last"
            case .merge: "merge"
            }
        }
    }

    /// Whether a step goes through the elements of a list.
    var needsList: Bool { filter != nil || each != nil || flattens || reduction != nil }
}

extension TransformSpec: BuiltInKind {
    private enum ReductionWord: String, CaseIterable {
        case count, sum, min, max, join, first, last, merge
    }

    static let name = "transform"
    static let members: [any KindMember] = [
        inputMember, whereMember, eachMember, flattenMember, reduceMember, resultMember, rescueMember,
    ]
    private static let inputMember = RequiredMember(
        "input", .binding, remedy: "A transform needs a value to begin with.",
        suggestion: #""input": {"$get": "list", "at": "/body/items"}"#)
    private static let whereMember = OptionalMember("where", .predicate(on: .item))
    private static let eachMember = OptionalMember("each", .binding)
    private static let flattenMember = DefaultedMember("flatten", .bool, default: false)
    private static let reduceMember = OptionalMember<Reduction>("reduce", SpecForm { reduction($1, &$0) })
    private static let resultMember = OptionalMember("result", .binding)
    private static let rescueMember = OptionalMember("rescue", .binding)

    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> TransformSpec? {
        var scope = scope
        scope.isRescued = object["rescue"] != nil
        guard let input = inputMember.read(object, scope, &reading) else { return nil }
        var transform = TransformSpec(input: input)
        let inside = scope.inMap(as: nil)
        transform.filter = whereMember.read(object, inside, &reading)
        transform.each = eachMember.read(object, inside, &reading)
        transform.result = resultMember.read(object, inside, &reading)
        transform.flattens = flattenMember.read(object, scope, &reading)
        transform.reduction = reduceMember.read(object, scope, &reading)
        transform.rescue = rescueMember.read(object, scope, &reading)
        if transform.needsList, case .literal(let literal) = transform.input, literal.array == nil {
            reading.inside("input") { $0.wrongType(literal, "a list, or a binding that gives one") }
        }
        return transform
    }

    private static func reduction(_ value: JSONValue, _ reading: inout SpecReading) -> Reduction? {
        guard case .object(let object) = value else {
            return reading.word(value, ReductionWord.self).map { reduction($0, separator: "") }
        }
        var found: ReductionWord?
        var separator = ""
        reading.members(of: object, "reduce", known: ["by", "separator"]) { reading, name, value in
            switch name {
            case "by": found = reading.word(value)
            case "separator": separator = reading.string(value, bytes: 0...64) ?? ""
            default: return false
            }
            return true
        }
        if object["by"] == nil {
            reading.missing(
                "by", "Say how the elements are made one value.", suggestion: #""by": "join""#)
        }
        guard let found else { return nil }
        if found != .join, object["separator"] != nil {
            reading.note(member: "separator", .conflict, "\"separator\" goes with \"join\".")
        }
        return reduction(found, separator: separator)
    }

    private static func reduction(_ word: ReductionWord, separator: String) -> Reduction {
        switch word {
        case .count: .count
        case .sum: .sum
        case .min: .min
        case .max: .max
        case .join: .join(separator: separator)
        case .first: .first
        case .last: .last
        case .merge: .merge
        }
    }

    var planWords: [String] {
        var words: [String] = []
        if filter != nil { words.append("where") }
        if each != nil { words.append("each") }
        if flattens { words.append("flatten") }
        if let reduction { words.append(reduction.word) }
        return words.isEmpty ? [] : [words.joined(separator: " → ")]
    }

    /// A transform: pure, computed immediately.
    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        let sources = sources
        return OperationRecipe(spec.name) { context in
            var reader = references
            reader.attempt = context.attempt
            let isRescued = rescue != nil && !sources.allSatisfy(reader.hasSucceeded)
            return try await reader.evaluate { [reader] lookup throws(AOperationError) in
                if isRescued, let rescue {
                    return OperationResult(json: try rescue.resolve(lookup: lookup))
                }
                let run = TransformRun(transform: self, reader: reader, meter: lookup.meter)
                return try OperationResult(json: try run.value(), lookup.meter)
            }
        }
    }
}
