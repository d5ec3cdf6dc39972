internal import JobKit
internal import StrictJSON

/// Requires a predicate over the references known at the evaluation; otherwise the operation is skipped, or fails.
struct ExpressionSpec: ConditionKind {
    var that: JSONPredicate
    var consequence = Consequence.skip

    enum Consequence: String, CaseIterable { case skip, fail }

    static let name = "expression"
    static let members: [any KindMember] = [thatMember, consequenceMember]
    private static let thatMember = RequiredMember(
        "that", .predicate(on: .nothing), remedy: "Say what must hold.",
        suggestion: #""that": {"$get": "a", "at": "/body/status", "equals": "done"}"#)
    private static let consequenceMember = DefaultedMember(
        "on_unsatisfied", .word, default: Consequence.skip)

    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> ExpressionSpec?
    {
        let consequence = consequenceMember.read(object, scope, &reading)
        guard let that = thatMember.read(object, scope, &reading) else { return nil }
        return ExpressionSpec(that: that, consequence: consequence)
    }

    func condition(in surroundings: ConditionSurroundings) -> any AOperationCondition {
        ClosureCondition("expression") { _ in
            do throws(AOperationError) {
                let holds = try await surroundings.references.evaluate { lookup throws(AOperationError) in
                    try that.evaluate(document: .null, lookup: lookup)
                }
                if holds { return .satisfied }
            } catch {
                return .failed(
                    AOperationError(
                        .conditionBroken, detail: error.detail, stage: .condition, causes: [error]))
            }
            let error = AOperationError(
                .conditionUnsatisfied, detail: "The expression does not hold.", stage: .condition)
            return consequence == .skip ? .ignored(error) : .failed(error)
        }
    }
}
