internal import JobKit
internal import StrictJSON

/// Everything in `after` succeeded. With `ignore_cancelled` a cancelled one makes a skip, not a failure.
struct NoFailedDependenciesSpec: ConditionKind {
    var ignoresCancelled: Bool

    static let name = "no_failed_dependencies"
    static let members: [any KindMember] = [ignoreMember]
    private static let ignoreMember = DefaultedMember("ignore_cancelled", .bool, default: false)

    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> NoFailedDependenciesSpec?
    {
        NoFailedDependenciesSpec(ignoresCancelled: ignoreMember.read(object, scope, &reading))
    }

    func condition(in surroundings: ConditionSurroundings) -> any AOperationCondition {
        NoFailedDependencies(ignoresCancelled: ignoresCancelled)
    }
}
