internal import JobKit
internal import StrictJSON

/// Runs an inner operation if its gate (`when`) holds. Otherwise both are skipped.
package struct GateSpec: Sendable, Hashable {
    /// The operation inside, at the path of the gate and its own name.
    package var operation: OperationSpec

    /// A gate around `operation`.
    package init(operation: OperationSpec) { self.operation = operation }
}

/// The kind `gate`.
extension GateSpec: BuiltInKind {
    static let name = "gate"
    static let members: [any KindMember] = [operationMember]
    private static let operationMember = RequiredMember.operation(remedy: "A gate needs an operation.")

    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> GateSpec? {
        if object["when"] == nil {
            reading.missing(
                "when", "A gate says when it is open.",
                suggestion: #""when": {"$get": "a", "at": "/body/ready", "equals": true}"#)
        }
        return operationMember.read(object, scope, &reading).map(GateSpec.init(operation:))
    }

    var inner: [OperationSpec] { [operation] }

    /// A gate ends like the inner operation. The gate itself is evaluated like that of any operation.
    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> AOperationRecipe<OperationResult> {
        var recipe = AOperationRecipe<OperationResult>(name: spec.name) { context in
            let ending = try await InnerRun(compiler: compiler, context: context)
                .ending(of: operation, at: references.place, path: references.path + [operation.name])
            return try ending.passedOn()
        }
        recipe.settings.grace = nil
        return recipe
    }

    func begun(in past: JournalFold, _ references: ReferenceReader) -> [PlacedOperation] {
        [
            PlacedOperation(
                spec: operation, place: references.place, path: references.path + [operation.name])
        ]
    }
}
