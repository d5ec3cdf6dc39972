/// A value selected by `type` in a spec: its name, its members, and their parsed values.
///
/// A kind is one file. It conforms to a protocol that refines this one, and is listed in the table of its sort
/// (`ConditionKinds`), from which the error texts, the suggestions and the check against `openapi.yaml` derive.
protocol SpecKind: Sendable, Hashable {
    /// The word in `type`.
    static var name: String { get }
    /// The members besides `type`, in the order in which they are listed.
    static var members: [any KindMember] { get }
    /// The words for the wait that only this kind has. Default none.
    static var wait: WaitWords? { get }
}

extension SpecKind {
    static var wait: WaitWords? { nil }

    /// Whether `other` is of the same kind with equal members.
    func isEqual(to other: any SpecKind) -> Bool { (other as? Self) == self }
}

/// The kinds of one sort by their names.
struct KindTable<Kind: Sendable>: Sendable {
    /// The names, in the order in which they are listed.
    let names: [String]
    private let kinds: [String: Kind]
    private let members: [String: [String]]

    /// - Parameter common: the members that all of them have, which are listed first.
    init(_ kinds: [(name: String, members: [any KindMember], kind: Kind)], common: [String] = ["type"]) {
        names = kinds.map(\.name)
        self.kinds = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0.kind) })
        members = Dictionary(
            uniqueKeysWithValues: kinds.map { ($0.name, common + $0.members.map(\.name)) })
    }

    subscript(name: String) -> Kind? { kinds[name] }

    /// The names of all members that the kind `name` has.
    func members(of name: String) -> [String] { members[name] ?? [] }
}
