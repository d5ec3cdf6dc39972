internal import JobKit
internal import StrictJSON

/// Requires that no operation in `after` was cancelled.
struct NoCancelledDependenciesSpec: ConditionKind {
    static let name = "no_cancelled_dependencies"
    static let members: [any KindMember] = []

    static func read(_: JSONObject, _: SpecScope, _: inout SpecReading) -> NoCancelledDependenciesSpec? {
        .init()
    }

    func condition(in surroundings: ConditionSurroundings) -> any AOperationCondition {
        NoCancelledDependencies()
    }
}
