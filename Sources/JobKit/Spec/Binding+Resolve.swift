public import StrictJSON

extension Binding {
    /// Answers references to other operations.
    public typealias Lookup = @Sendable (Reference) throws(AOperationError) -> JSONValue

    /// The value with everything filled in.
    /// - Throws: what `lookup` throws; `template.invalid` when a `$text` names a variable that it is not given.
    public func resolve(lookup: Lookup) throws(AOperationError) -> JSONValue {
        switch self {
        case .literal(let value): return value
        case .get(let reference): return try lookup(reference)
        case .text(let pattern, let vars): return .string(try Self.fill(pattern, vars, lookup))
        case .array(let parts):
            var values: [JSONValue] = []
            for part in parts { values.append(try part.resolve(lookup: lookup)) }
            return .array(values)
        case .object(let entries):
            var members: [JSONObject.Member] = []
            for entry in entries {
                members.append(.init(name: entry.name, value: try entry.value.resolve(lookup: lookup)))
            }
            return .object(JSONObject(uniqueMembers: members))
        }
    }

    /// The value as text: strings as they are, numbers and booleans as JSON writes them.
    /// - Throws: `reference.type` for null, arrays and objects, which have no one text.
    func resolveText(_ what: String, lookup: Lookup) throws(AOperationError) -> String {
        switch try resolve(lookup: lookup) {
        case .string(let text): return text
        case .number(let number): return number.text
        case .bool(let flag): return flag ? "true" : "false"
        case let other:
            throw AOperationError(
                .referenceType,
                detail: "\(what) needs a text or a number, and was given \(other.kindName).")
        }
    }

    private static func fill(
        _ pattern: String, _ vars: [NetworkSpec.Entry], _ lookup: Lookup
    ) throws(AOperationError) -> String {
        guard let template = TextTemplate(pattern) else {
            throw AOperationError(
                .templateInvalid, detail: "A brace in $text has no partner. Write {{ or }} for the brace.")
        }
        var text = ""
        for part in template.parts {
            switch part {
            case .text(let piece): text += piece
            case .name(let name):
                guard let entry = vars.first(where: { $0.name == name }) else {
                    throw AOperationError(
                        .templateInvalid, detail: "$text uses {\(name)}, which its vars do not give.")
                }
                text += try entry.value.resolveText("The variable \(name)", lookup: lookup)
            }
        }
        return text
    }
}

extension NetworkSpec.Entry {
    /// The texts of a parameter: one, one for each element of an array, or none for null.
    /// - Throws: `reference.type` for objects and nested arrays, which have no one text.
    func resolveTexts(_ what: String, lookup: Binding.Lookup) throws(AOperationError) -> [String] {
        switch try value.resolve(lookup: lookup) {
        case .null: return []
        case .array(let elements):
            var texts: [String] = []
            for element in elements {
                texts.append(try Binding.literal(element).resolveText("\(what) \(name)", lookup: lookup))
            }
            return texts
        case let single: return [try Binding.literal(single).resolveText("\(what) \(name)", lookup: lookup)]
        }
    }
}
