/// The custom kinds of operations of a server, by name.
package struct OperationKinds: Sendable {
    private let kinds: [String: OperationKind]
    /// The names in the order in which they were given.
    package let names: [String]

    package static let none = OperationKinds()

    private init() {
        kinds = [:]
        names = []
    }

    /// Kinds that were checked.
    init(checked list: [OperationKind]) {
        kinds = Dictionary(uniqueKeysWithValues: list.map { ($0.name, $0) })
        names = list.map(\.name)
    }

    /// The kind of this name; nil when there is none.
    package subscript(name: String) -> OperationKind? { kinds.isEmpty ? nil : kinds[name] }
}
