internal import StrictJSON

/// The type of a member's value: how the value is read, and so everything that may be wrong with it.
struct SpecForm<Value: Sendable>: Sendable {
    /// Reads the value at which `reading` is; nil when nothing can be made of it, which has been noted then.
    let read: @Sendable (inout SpecReading, JSONValue, SpecScope) -> Value?

    /// A value that means the same wherever it is written.
    init(_ read: @escaping @Sendable (inout SpecReading, JSONValue) -> Value?) {
        self.read = { reading, value, _ in read(&reading, value) }
    }

    /// A value in which it counts what is around it.
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

    /// A text of so many bytes.
    static func text(bytes range: ClosedRange<Int>) -> SpecForm { SpecForm { $0.string($1, bytes: range) } }

    /// A URL in which nothing is filled in.
    static var literalURL: SpecForm { SpecForm { URLReader($2).literalURL($1, &$0) } }
}

extension SpecForm where Value == Duration {
    /// A duration of more than zero and at most as long as a job may wait.
    static var wait: SpecForm { SpecForm { $0.interval($1, atMost: $0.limits.waitMax) } }
}

extension SpecForm where Value: RawRepresentable<String> & CaseIterable {
    /// One of the words of a closed list.
    static var word: SpecForm { SpecForm { $0.word($1) } }
}

extension SpecForm where Value == Binding {
    /// Any JSON, in which parts may be filled in.
    static var binding: SpecForm { SpecForm { BindingReader($2).binding($1, &$0) } }
    /// A value that becomes text.
    static var text: SpecForm { SpecForm { BindingReader($2).textBinding($1, &$0) } }
    /// A text that only the caller may know.
    static var confidential: SpecForm { SpecForm { BindingReader($2).confidential($1, &$0) } }
}

extension SpecForm where Value == Predicate {
    static func predicate(on document: PredicateReader.Document) -> SpecForm {
        SpecForm { PredicateReader($2).predicate($1, on: document, &$0) }
    }
}
