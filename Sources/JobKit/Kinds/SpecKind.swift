/// Something that a spec chooses with `type`: its name, the members it has there, and a value of what they say.
///
/// A kind is one file. It conforms to a protocol that refines this one, and stands in the table of its sort
/// (`ConditionKinds`), which the error texts, the suggestions and the check against `openapi.yaml` come from.
protocol SpecKind: Sendable, Hashable {
    /// The word in `type`.
    static var name: String { get }
    /// The members besides `type`, in the order in which they are listed.
    static var members: [any KindMember] { get }
}

extension SpecKind {
    /// Whether `other` is of the same kind and says the same.
    func isEqual(to other: any SpecKind) -> Bool { (other as? Self) == self }
}

/// The kinds of one sort by their names.
struct KindTable<Kind: Sendable>: Sendable {
    /// The names, in the order in which they are listed.
    let names: [String]
    private let kinds: [String: Kind]

    init(_ kinds: [(name: String, kind: Kind)]) {
        names = kinds.map(\.name)
        self.kinds = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0.kind) })
    }

    subscript(name: String) -> Kind? { kinds[name] }
}
