internal import StrictJSON
internal import Synchronization

/// The variables that a line came to need.
final class VariableNames: Sendable {
    private let references = Mutex<[String: Binding.Reference]>([:])

    /// The variables so far, by name.
    var found: [String: Binding.Reference] { references.withLock { $0 } }

    /// The mark of the variable for a reference. Two references that would have one name get two.
    func mark(_ reference: Binding.Reference) -> JSONValue {
        let name = references.withLock { known in
            var name = ShellVariable.name(reference)
            while let other = known[name], other != reference { name += "_" }
            known[name] = reference
            return name
        }
        return .string(ShellVariable.marked(name))
    }
}
