package import JobKit
package import StrictJSON

extension Binding {
    /// Answers references to other operations.
    package typealias Lookup = @Sendable (Reference) throws(AOperationError) -> JSONValue

    /// The value with everything filled in.
    /// - Throws: what `lookup` throws; `template.invalid` when a `$text` names a variable that it is not given;
    ///   `value.too_large` when more than `RunLimits.valueBytesMax` come together.
    package func resolve(lookup: Lookup) throws(AOperationError) -> JSONValue {
        switch self {
        case .literal(let value): return value
        // A value that is passed on whole was limited at its source.
        case .get(let reference): return try lookup(reference)
        default:
            var room = ValueRoom()
            return try resolve(lookup: lookup, in: &room)
        }
    }

    private func resolve(lookup: Lookup, in room: inout ValueRoom) throws(AOperationError) -> JSONValue {
        switch self {
        case .literal(let value):
            try room.take(value)
            return value
        case .get(let reference):
            let value = try lookup(reference)
            try room.take(value)
            return value
        case .text(let pattern, let vars): return .string(try Self.fill(pattern, vars, lookup, &room))
        case .array(let parts):
            try room.take(parts.count + 1)
            var values: [JSONValue] = []
            for part in parts { values.append(try part.resolve(lookup: lookup, in: &room)) }
            return .array(values)
        case .object(let entries):
            var members: [JSONObject.Member] = []
            for entry in entries {
                try room.take(entry.name.utf8.count + 4)
                members.append(
                    .init(name: entry.name, value: try entry.value.resolve(lookup: lookup, in: &room)))
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
    private static func text(of value: JSONValue, _ what: String) throws(AOperationError) -> String {
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
        _ pattern: String, _ vars: [NetworkSpec.Entry], _ lookup: Lookup, _ room: inout ValueRoom
    ) throws(AOperationError) -> String {
        guard let template = TextTemplate(pattern) else {
            throw AOperationError(
                .templateInvalid, detail: "A brace in $text has no partner. Write {{ or }} for the brace.")
        }
        var known: [String: String] = [:]
        var text = ""
        for part in template.parts {
            switch part {
            case .text(let piece):
                try room.take(.string(piece))
                text += piece
            case .name(let name):
                let piece: String
                if let made = known[name] { piece = made } else { piece = try value(of: name, vars, lookup) }
                known[name] = piece
                try room.take(.string(piece))
                text += piece
            }
        }
        return text
    }

    private static func value(
        of name: String, _ vars: [NetworkSpec.Entry], _ lookup: Lookup
    ) throws(AOperationError) -> String {
        guard let entry = vars.first(where: { $0.name == name }) else {
            throw AOperationError(
                .templateInvalid, detail: "$text uses {\(name)}, which its vars do not give.")
        }
        return try entry.value.resolveText("The variable \(name)", lookup: lookup)
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
