internal import StrictJSON
internal import Synchronization

/// The variables that a line needs.
final class VariableNames: Sendable {
    private let references = Mutex<[String: Binding.Reference]>([:])

    /// The variables so far, by name.
    var found: [String: Binding.Reference] { references.withLock { $0 } }

    /// The mark of the variable for a reference. Two references with the same name get different ones.
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
