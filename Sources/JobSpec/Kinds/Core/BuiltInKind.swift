internal import StrictJSON

/// A built-in kind of operation, and the work of an operation of that kind.
protocol BuiltInKind: SpecKind, OperationWork {
    /// Whether it makes calls itself, and has call timeouts. Default false.
    static var makesCalls: Bool { get }

    /// Reads the members of the kind. The common members are in `draft`, and all names have been checked.
    /// - Returns: nil when they are invalid, which has been reported then.
    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> Self?
}

extension BuiltInKind {
    static var makesCalls: Bool { false }
    var type: String { Self.name }

    /// See `read`.
    static func readWork(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> OperationSpec.Kind? {
        read(object, &draft, scope, &reading).map { OperationSpec.Kind($0) }
    }
}
