internal import JobKit
internal import StrictJSON

/// The signals that operations of a job await.
package struct AwaitedSignals: Sendable {
    /// Their names, each once, in the order of the spec.
    private(set) var names: [String] = []
    /// Whether there are operations of kinds that are not built in, which may await any signal.
    private(set) var isOpen = false
    private let root: String
    private var seen: Set<ByteKey> = []

    /// The names that a warning lists.
    private static let listedMax = 10

    /// The signals of a spec.
    package init(_ spec: JobSpec) {
        root = spec.operation.name
        collect(spec.operation)
    }

    private mutating func collect(_ operation: OperationSpec) {
        switch operation.kind.work {
        case let work as AwaitSpec:
            guard let signal = work.signal else { break }
            if seen.insert(ByteKey(signal)).inserted { names.append(signal) }
        case is CustomSpec: isOpen = true
        default:
            for member in operation.members { collect(member) }
            if let copied = operation.copied { collect(copied) }
        }
    }

    /// The warning about a signal that no operation awaits; nil when one does, or may.
    package func warning(about name: String) -> SpecWarning? {
        guard !isOpen, !seen.contains(ByteKey(name)) else { return nil }
        let listed = names.prefix(Self.listedMax).joined(separator: ", ")
        let rest = names.count - Self.listedMax
        let all = listed + (rest > 0 ? " and \(rest) more" : "")
        let meant = SpellingSuggestion.nearest(to: name, in: names).map { " Did you mean \($0)?" } ?? ""
        return SpecWarning(
            path: [root], code: "warning.signal_not_awaited",
            detail: "No operation of the job awaits the signal \(name); "
                + (names.isEmpty ? "it awaits none." : "it awaits \(all).") + meant
                + " The signal is kept for members that are added later.")
    }
}
