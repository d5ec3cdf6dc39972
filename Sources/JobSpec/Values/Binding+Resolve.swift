package import JobKit
package import StrictJSON

extension Binding {
    /// The value with everything filled in.
    /// - Throws: what `lookup` throws; `template.invalid` when a `$text` names a variable that it is not given;
    ///   `value.too_large` when more than `RunLimits.valueBytesMax` come together; `evaluation.too_long`.
    package func resolve(lookup: Lookup) throws(AOperationError) -> JSONValue {
        switch self {
        case .literal(let value): return value
        // A value that is passed on whole was limited at its source.
        case .get(let reference): return try lookup(reference)
        default:
            var budget = ValueBudget()
            return try resolve(lookup: lookup, in: &budget)
        }
    }

    private func resolve(lookup: Lookup, in budget: inout ValueBudget) throws(AOperationError) -> JSONValue {
        switch self {
        case .literal(let value):
            try budget.take(value, lookup.meter)
            return value
        case .get(let reference):
            let value = try lookup(reference)
            try budget.take(value, lookup.meter)
            return value
        case .text(let pattern, let vars): return .string(try Self.fill(pattern, vars, lookup, &budget))
        case .array(let parts):
            try budget.take(parts.count + 1)
            var values: [JSONValue] = []
            for part in parts { values.append(try part.resolve(lookup: lookup, in: &budget)) }
            return .array(values)
        case .object(let entries):
            var members: [JSONObject.Member] = []
            for entry in entries {
                try budget.take(entry.name.utf8.count + 4)
                members.append(
                    .init(name: entry.name, value: try entry.value.resolve(lookup: lookup, in: &budget)))
            }
            return .object(JSONObject(uniqueMembers: members))
        }
    }

    /// Resolves to text: strings unchanged, numbers and booleans as in JSON.
    /// - Throws: `reference.type` for null, arrays and objects, which have no unique text.
    func resolveText(_ what: String, lookup: Lookup) throws(AOperationError) -> String {
        try Self.text(of: resolve(lookup: lookup), what)
    }

    /// - Throws: `reference.type` for null, arrays and objects.
    static func text(of value: JSONValue, _ what: String) throws(AOperationError) -> String {
        switch value {
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
        _ pattern: String, _ vars: [NetworkSpec.Entry], _ lookup: Lookup, _ budget: inout ValueBudget
    ) throws(AOperationError) -> String {
        guard let template = TextTemplate(pattern) else {
            throw AOperationError(
                .templateInvalid, detail: "A brace in $text has no partner. Write {{ or }} for the brace.")
        }
        try lookup.meter.spend(pattern.utf8.count + 16 * vars.count, on: .making)
        // Of several variables with one name the first counts.
        let variables = Dictionary(
            vars.map { (ByteKey($0.name), $0.value) }, uniquingKeysWith: { one, _ in one })
        var known: [ByteKey: String] = [:]
        var text = ""
        for part in template.parts {
            switch part {
            case .text(let piece):
                try budget.take(.string(piece), lookup.meter)
                text += piece
            case .name(let name):
                let key = ByteKey(name)
                let piece: String
                if let made = known[key] {
                    piece = made
                } else {
                    guard let variable = variables[key] else {
                        throw AOperationError(
                            .templateInvalid,
                            detail: "$text uses {\(String(quotable: name))}, which its vars do not give.")
                    }
                    piece = try variable.resolveText("The variable \(String(quotable: name))", lookup: lookup)
                    known[key] = piece
                }
                try budget.take(.string(piece), lookup.meter)
                text += piece
            }
        }
        return text
    }
}

extension NetworkSpec.Entry {
    /// The texts of a parameter: one, one for each element of an array, or none for null, also as an element.
    /// - Throws: `reference.type` for objects and nested arrays, which have no one text.
    func resolveTexts(_ what: String, lookup: Binding.Lookup) throws(AOperationError) -> [String] {
        switch try value.resolve(lookup: lookup) {
        case .null: return []
        case .array(let elements):
            try lookup.meter.spend(8 * elements.count, on: .making)
            var texts: [String] = []
            for element in elements where !element.isNull {
                texts.append(try Binding.text(of: element, "\(what) \(name)"))
            }
            return texts
        case let single: return [try Binding.text(of: single, "\(what) \(name)")]
        }
    }
}
