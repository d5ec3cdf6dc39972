package import JobKit
package import StrictJSON

extension JSONPredicate {
    /// Whether it holds for `document`. A missing position satisfies only `exists: false` and `not_equals`.
    /// - Throws: errors of `lookup` for references to other operations.
    package func evaluate(document: JSONValue, lookup: Binding.Lookup) throws(AOperationError) -> Bool {
        switch self {
        case .all(let parts):
            for part in parts where try !part.evaluate(document: document, lookup: lookup) { return false }
            return true
        case .any(let parts):
            for part in parts where try part.evaluate(document: document, lookup: lookup) { return true }
            return false
        case .not(let part): return try !part.evaluate(document: document, lookup: lookup)
        case .compare(let subject, let comparison):
            switch subject {
            case .at(let pointer): return comparison.holds(of: pointer.resolve(in: document))
            case .reference(let reference): return comparison.holds(of: try Self.value(of: reference, lookup))
            }
        }
    }

    /// The referenced value; nil, rather than an error, when the position does not exist.
    private static func value(
        of reference: Binding.Reference, _ lookup: Binding.Lookup
    ) throws(AOperationError) -> JSONValue? {
        do throws(AOperationError) {
            return try lookup(reference)
        } catch {
            if error.code == .referenceMissing { return nil }
            throw error
        }
    }
}

extension JSONPredicate.Comparison {
    func holds(of value: JSONValue?) -> Bool {
        switch self {
        case .exists(let wanted): return (value != nil) == wanted
        case .notEquals(let other): return value.map { !Self.equal($0, other) } ?? true
        default: break
        }
        guard let value else { return false }
        switch self {
        case .equals(let other): return Self.equal(value, other)
        case .greater(let other): return Self.compare(value, other).map { $0 > 0 } ?? false
        case .less(let other): return Self.compare(value, other).map { $0 < 0 } ?? false
        case .in(let list): return list.contains { Self.equal(value, $0) }
        case .startsWith(let prefix): return value.string.map { $0.utf8.starts(with: prefix.utf8) } ?? false
        case .contains(let part): return Self.contains(value, part)
        case .matches(let pattern):
            guard let text = value.string, let pattern = try? Pattern(pattern) else { return false }
            return pattern.isFound(in: text)
        case .exists, .notEquals: return false
        }
    }

    /// Equal as JSON values: numbers by value (`1` and `1.0`), members in any order, texts by their bytes.
    private static func equal(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)):
            left.text == right.text || left.isNumericallyEqual(to: right)
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { equal($0, $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.members.allSatisfy { member in
                    right[member.name].map { equal(member.value, $0) } ?? false
                }
        default: left == right
        }
    }

    /// Numbers by value, texts by their bytes; nil for anything else.
    static func compare(_ left: JSONValue, _ right: JSONValue) -> Int? {
        if let left = left.number, let right = right.number {
            return left.isLess(than: right) ? -1 : right.isLess(than: left) ? 1 : 0
        }
        guard let left = left.string, let right = right.string else { return nil }
        if left.utf8.elementsEqual(right.utf8) { return 0 }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    }

    /// A part of a text, an element of an array, a member name of an object.
    private static func contains(_ whole: JSONValue, _ part: JSONValue) -> Bool {
        switch whole {
        case .array(let elements): return elements.contains { equal($0, part) }
        case .object(let object): return part.string.map { object[$0] != nil } ?? false
        case .string(let text): return part.string.map { text.contains($0) } ?? false
        default: return false
        }
    }
}
