internal import JobKit
internal import StrictJSON

/// Has a value, which may have bindings.
struct ValueSpec: BuiltInKind {
    var value: Binding

    static let name = "value"
    static let members: [any KindMember] = [valueMember]
    private static let valueMember = RequiredMember(
        "value", .binding, remedy: "A value operation says which value it has.",
        suggestion: #""value": {"answer": 42}"#)

    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> ValueSpec? {
        valueMember.read(object, scope, &reading).map(ValueSpec.init)
    }

    var statedValue: Binding? { value }

    var onlyReads: Bool { if case .literal = value { true } else { false } }

    func isPlain(in operation: OperationSpec) -> Bool { true }

    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        OperationRecipe(spec.name) { context in
            if case .literal(let value) = value { return OperationResult(json: value) }
            return try await references.attempt(in: context).evaluate { lookup throws(AOperationError) in
                try OperationResult(json: try value.resolve(lookup: lookup), lookup.meter)
            }
        }
    }
}
