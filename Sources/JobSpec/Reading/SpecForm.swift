internal import StrictJSON

/// The type of a member's value: how the value is read, and so everything that may be wrong with it.
struct SpecForm<Value: Sendable>: Sendable {
    /// Reads the value at the position of `reading`; nil when it is invalid, which has been reported then.
    let read: @Sendable (inout SpecReading, JSONValue, SpecScope) -> Value?

    /// A value whose meaning does not depend on its position.
    init(_ read: @escaping @Sendable (inout SpecReading, JSONValue) -> Value?) {
        self.read = { reading, value, _ in read(&reading, value) }
    }

    /// A value whose meaning depends on its scope.
    init(_ read: @escaping @Sendable (inout SpecReading, JSONValue, SpecScope) -> Value?) {
        self.read = read
    }
}

extension SpecForm where Value == Bool {
    static var bool: SpecForm { SpecForm { $0.bool($1) } }
}

extension SpecForm where Value == String {
    /// See `SpecReading.name`.
    static var name: SpecForm { SpecForm { $0.name($1) } }

    /// A text with a limited number of bytes.
    static func text(bytes range: ClosedRange<Int>) -> SpecForm { SpecForm { $0.string($1, bytes: range) } }

    /// A key that clients choose.
    static var key: SpecForm { SpecForm { $0.key($1) } }

    /// A URL without bindings.
    static var literalURL: SpecForm { SpecForm { URLReader($2).literalURL($1, &$0) } }
}

extension SpecForm where Value == Duration {
    /// A positive duration, at most the longest wait of a job.
    static var wait: SpecForm { SpecForm { $0.interval($1, atMost: $0.limits.waitMax) } }
}

extension SpecForm where Value: RawRepresentable<String> & CaseIterable {
    /// One of the words of a closed list.
    static var word: SpecForm { SpecForm { $0.word($1) } }
}

extension SpecForm where Value == Binding {
    /// Any JSON, in which parts may be filled in.
    static var binding: SpecForm { SpecForm { BindingReader($2).binding($1, &$0) } }
    /// A binding that resolves to text.
    static var text: SpecForm { SpecForm { BindingReader($2).textBinding($1, &$0) } }
    /// A confidential text.
    static var confidential: SpecForm { SpecForm { BindingReader($2).confidential($1, &$0) } }
}

extension SpecForm where Value == JSONPredicate {
    static func predicate(on document: PredicateReader.Document) -> SpecForm {
        SpecForm { PredicateReader($2).predicate($1, on: document, &$0) }
    }
}
