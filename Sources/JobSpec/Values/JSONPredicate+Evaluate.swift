package import JobKit
package import StrictJSON

extension JSONPredicate {
    /// The outcome of a predicate on a document.
    enum Verdict: Sendable {
        case holds
        case fails
        /// A place that would decide it lies inside content that is not JSON.
        case unknown(AOperationError)

        /// Whether it holds for certain.
        var holds: Bool { if case .holds = self { true } else { false } }
    }

    /// Whether it holds for a JSON value. A missing position satisfies only `exists: false` and `not_equals`.
    /// - Throws: errors of `lookup` for references to other operations; `reference.not_json` when it depends on a place
    ///   inside content that is not JSON; `evaluation.too_long`.
    package func evaluate(document: JSONValue, lookup: Binding.Lookup) throws(AOperationError) -> Bool {
        switch try verdict(on: ResultDocument(document), lookup: lookup) {
        case .holds: true
        case .fails: false
        case .unknown(let error): throw error
        }
    }

    /// The verdict on a document. Of `all` a part that fails decides, of `any` one that holds, whatever the others are.
    func verdict(on document: ResultDocument, lookup: Binding.Lookup) throws(AOperationError) -> Verdict {
        try lookup.meter.spend(4, on: .comparing)
        switch self {
        case .all(let parts):
            var verdict = Verdict.holds
            for part in parts {
                switch try part.verdict(on: document, lookup: lookup) {
                case .holds: break
                case .fails: return .fails
                case .unknown(let error): if verdict.holds { verdict = .unknown(error) }
                }
            }
            return verdict
        case .any(let parts):
            var unknown: AOperationError?
            for part in parts {
                switch try part.verdict(on: document, lookup: lookup) {
                case .holds: return .holds
                case .fails: break
                case .unknown(let error): unknown = unknown ?? error
                }
            }
            return unknown.map(Verdict.unknown) ?? .fails
        case .not(let part):
            switch try part.verdict(on: document, lookup: lookup) {
            case .holds: return .fails
            case .fails: return .holds
            case .unknown(let error): return .unknown(error)
            }
        case .compare(let subject, let comparison):
            let value: JSONValue?
            switch subject {
            case .at(let pointer):
                if document.hides(pointer) { return .unknown(document.hidden(pointer)) }
                value = try pointer.resolve(in: document.value, lookup.meter)
            case .reference(let reference):
                do throws(AOperationError) { value = try lookup(reference) } catch {
                    if error.code == .referenceNotJSON || error.code == .referenceType {
                        return .unknown(error)
                    }
                    guard error.code == .referenceMissing else { throw error }
                    value = nil
                }
            }
            return try comparison.holds(of: value, lookup.meter) ? .holds : .fails
        }
    }
}

extension JSONPointer {
    /// The value at this address; nil when there is none.
    func resolve(in value: JSONValue, _ meter: StepMeter) throws(AOperationError) -> JSONValue? {
        var place = value
        for token in tokens {
            var steps = 2
            if case .object(let object) = place { steps += object.count }
            try meter.spend(steps, on: .comparing)
            guard let next = place.child(token) else { return nil }
            place = next
        }
        return place
    }
}

extension JSONPredicate.Comparison {
    /// Whether it holds for a value of a spec, which has at most 1 MiB.
    func holds(of value: JSONValue?) -> Bool { (try? holds(of: value, StepMeter())) ?? false }

    /// - Throws: `evaluation.too_long`.
    func holds(of value: JSONValue?, _ meter: StepMeter) throws(AOperationError) -> Bool {
        switch self {
        case .exists(let wanted): return (value != nil) == wanted
        case .notEquals(let other):
            guard let value else { return true }
            return try !value.isSame(as: other, meter)
        default: break
        }
        guard let value else { return false }
        switch self {
        case .equals(let other): return try value.isSame(as: other, meter)
        case .greater(let other): return try Self.compare(value, other, meter).map { $0 > 0 } ?? false
        case .less(let other): return try Self.compare(value, other, meter).map { $0 < 0 } ?? false
        case .in(let list): return try list.contains(value, meter)
        case .startsWith(let prefix):
            try meter.spend(prefix.utf8.count / 8, on: .comparing)
            return value.string.map { $0.utf8.starts(with: prefix.utf8) } ?? false
        case .contains(let part): return try Self.contains(value, part, meter)
        case .matches(let pattern):
            guard let text = value.string else { return false }
            return try meter.isFound(pattern, in: text)
        case .exists, .notEquals: return false
        }
    }

    /// Numbers by value, texts by their bytes; nil for anything else.
    static func compare(
        _ left: JSONValue, _ right: JSONValue, _ meter: StepMeter
    ) throws(AOperationError) -> Int? {
        if let left = left.number, let right = right.number {
            try meter.spend(32 + left.text.utf8.count + right.text.utf8.count, on: .comparing)
            return left.isLess(than: right) ? -1 : right.isLess(than: left) ? 1 : 0
        }
        guard let left = left.string, let right = right.string else { return nil }
        try meter.spend(4 + min(left.utf8.count, right.utf8.count) / 2, on: .comparing)
        if left.hasSameBytes(as: right) { return 0 }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    }

    /// A part of a text, an element of an array, a member name of an object.
    private static func contains(
        _ whole: JSONValue, _ part: JSONValue, _ meter: StepMeter
    ) throws(AOperationError) -> Bool {
        switch whole {
        case .array(let elements):
            for element in elements where try element.isSame(as: part, meter) { return true }
            return false
        case .object(let object):
            guard let name = part.string else { return false }
            try meter.spend(object.count, on: .comparing)
            return object[name] != nil
        case .string(let text):
            guard let part = part.string else { return false }
            try meter.spend(16 + text.utf8.count + part.utf8.count, on: .comparing)
            return text.hasBytes(of: part)
        default: return false
        }
    }
}
