import JobSpec
import StrictJSON

/// The labels of a job, by key, in the order of the bytes of the keys.
///
/// Keys and values are compared as bytes, as everywhere in specs: `é` composed and decomposed are two keys, which a
/// dictionary of strings would take for one.
public struct JobLabels: Sendable, Hashable {
    private var values: [ByteKey: ByteKey] = [:]

    /// No labels.
    public init() {}

    init(_ labels: [JobSpec.Label]) {
        for label in labels { self[label.key] = label.value }
    }

    /// The value of a label; nil when there is none. Setting nil removes the label.
    public subscript(key: String) -> String? {
        get { values[ByteKey(key)]?.text }
        set { values[ByteKey(key)] = newValue.map { ByteKey($0) } }
    }

    /// The number of labels.
    public var count: Int { values.count }

    /// Whether there are none.
    public var isEmpty: Bool { values.isEmpty }
}

extension JobLabels: Sequence {
    /// An iterator over the labels.
    public func makeIterator() -> IndexingIterator<[(key: String, value: String)]> {
        values.sorted { $0.key < $1.key }.map { (key: $0.key.text, value: $0.value.text) }.makeIterator()
    }
}

extension JobLabels: ExpressibleByDictionaryLiteral {
    /// Labels as they are written; of a repeated key the last counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (key, value) in elements { self[key] = value }
    }
}
