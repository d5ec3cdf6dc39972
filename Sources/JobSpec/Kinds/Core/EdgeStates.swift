package import JobKit
internal import StrictJSON

/// The final states of an operation with which an edge lets the dependant run.
package struct EdgeStates: Sendable, Hashable {
    private let states: Set<JobState>

    /// The states that an operation can end in.
    static let words: [JobState] = [.succeeded, .failed, .cancelled, .skipped]
    /// The word for all of them.
    static let anyWord = "any"

    /// Success alone, the default.
    package static let succeeded = EdgeStates([.succeeded])
    /// Whatever the end.
    package static let any = EdgeStates(Set(words))

    /// An edge that is satisfied by these.
    package init(_ states: Set<JobState>) { self.states = states }

    /// In the order of `words`.
    package var list: [JobState] { Self.words.filter(states.contains) }

    /// The requirement of the run.
    package var requirement: OperationSettings.Requirement {
        switch self {
        case .succeeded: .named(.succeeded)
        case .any: .named(.finished)
        case EdgeStates([.failed]): .named(.failed)
        default: .states(states)
        }
    }

    /// As in a spec.
    var json: JSONValue {
        self == .any ? .string(Self.anyWord) : .array(list.map { .string($0.rawValue) })
    }

    /// In a plan: `(any)`, `(failed, skipped)`.
    var shown: String { "(\(self == .any ? Self.anyWord : list.map(\.rawValue).joined(separator: ", ")))" }

    /// For people, such as `failed or was skipped`.
    package var text: String {
        list.map { $0 == .cancelled || $0 == .skipped ? "was \($0.rawValue)" : $0.rawValue }
            .joined(separator: " or ")
    }
}
