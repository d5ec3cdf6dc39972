internal import StrictJSON

protocol KindMember: Sendable {
    var name: String { get }
    /// Whether it is a problem when the member is not there.
    var isRequired: Bool { get }
    /// Whether leaving the member out is the same as saying a certain value.
    var hasDefault: Bool { get }
}

extension KindMember {
    var isRequired: Bool { false }
    var hasDefault: Bool { false }
}

/// A member that must be present.
struct RequiredMember<Value: Sendable>: KindMember {
    let name: String
    let form: SpecForm<Value>
    /// The problem's text after `"…" is missing.`
    let remedy: String
    let suggestion: String?
    var isRequired: Bool { true }

    init(_ name: String, _ form: SpecForm<Value>, remedy: String = "", suggestion: String? = nil) {
        self.name = name
        self.form = form
        self.remedy = remedy
        self.suggestion = suggestion
    }

    /// The member of `object`; nil when it is missing or wrong, which is noted.
    func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading) -> Value? {
        guard let value = object[name] else {
            reading.missing(name, remedy, suggestion: suggestion)
            return nil
        }
        return reading.inside(name) { form.read(&$0, value, scope) }
    }
}

/// An optional member whose absence has a meaning that no value expresses.
struct OptionalMember<Value: Sendable>: KindMember {
    let name: String
    let form: SpecForm<Value>

    init(_ name: String, _ form: SpecForm<Value>) {
        self.name = name
        self.form = form
    }

    /// The member of `object`; nil when it is not there, or wrong, which is noted.
    func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading) -> Value? {
        guard let value = object[name] else { return nil }
        return reading.inside(name) { form.read(&$0, value, scope) }
    }
}

/// An optional member with a default value.
struct DefaultedMember<Value: Sendable>: KindMember {
    let name: String
    let form: SpecForm<Value>
    let fallback: Value
    var hasDefault: Bool { true }

    init(_ name: String, _ form: SpecForm<Value>, default fallback: Value) {
        self.name = name
        self.form = form
        self.fallback = fallback
    }

    /// The member of `object`, or the default when it is not there, or wrong, which is noted.
    func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading) -> Value {
        guard let value = object[name] else { return fallback }
        return reading.inside(name) { form.read(&$0, value, scope) } ?? fallback
    }
}

/// A member read together with others, by a separate reader.
struct SharedMember: KindMember {
    let name: String

    init(_ name: String) { self.name = name }
}
