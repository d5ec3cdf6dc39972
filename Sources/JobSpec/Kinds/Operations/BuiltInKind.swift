internal import StrictJSON

/// A kind of operation that is built in, and the work of an operation of that kind.
protocol BuiltInKind: SpecKind, OperationWork {
    /// Whether it makes calls of its own, and so has their clocks. Default false.
    static var makesCalls: Bool { get }

    /// Reads the members of the kind. Those that every operation may have are in `draft`, and the names of all are
    /// checked already.
    /// - Returns: nil when nothing can be made of them, which has been noted then.
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
