internal import JobKit
internal import StrictJSON

/// Requires a predicate over the references known at the evaluation.
struct WhenConditionSpec: ConditionKind {
    var predicate: JSONPredicate

    static let name = "when"
    static let members: [any KindMember] = [whenMember]
    private static let whenMember = RequiredMember(name, .predicate(on: .nothing))

    static func read(
        _ object: JSONObject, _ otherwise: ConditionOtherwise, _ scope: SpecScope,
        _ reading: inout SpecReading
    ) -> WhenConditionSpec? {
        whenMember.read(object, scope, &reading).map(WhenConditionSpec.init)
    }

    func condition(in surroundings: ConditionSurroundings) -> any OperationCondition {
        ClosureCondition(Self.name) { _ in
            do throws(AOperationError) {
                let holds = try await surroundings.references.evaluate { lookup throws(AOperationError) in
                    try predicate.evaluate(document: .null, lookup: lookup)
                }
                if holds { return .satisfied }
            } catch {
                return .failed(
                    AOperationError(
                        .conditionBroken, detail: error.detail, stage: .condition, causes: [error]))
            }
            return .failed(
                AOperationError(
                    .conditionUnsatisfied, detail: "The `when` of a condition does not hold.",
                    stage: .condition))
        }
    }
}
