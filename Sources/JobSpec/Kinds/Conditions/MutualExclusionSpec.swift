internal import JobKit
internal import StrictJSON

/// No other operation with this key is executed at the same time on this server.
struct MutualExclusionSpec: ConditionKind {
    var key: String

    static let name = "mutual_exclusion"
    static let wait: WaitWords? = WaitWords(.exclusion, "mutex", isBeforeMore: true) {
        "the exclusive key \($0.key ?? "")"
    } end: { _ in
        "It begins when the key is free and it is first in the line."
    }
    static let members: [any KindMember] = [keyMember]
    /// None: an operation always waits for its key.
    static let outcomes: [ConditionOtherwise] = []
    private static let keyMember = RequiredMember(
        "key", .key, remedy: "Operations with the same key exclude each other.",
        suggestion: #""key": "printer""#)

    static func read(
        _ object: JSONObject, _ otherwise: ConditionOtherwise, _ scope: SpecScope,
        _ reading: inout SpecReading
    ) -> MutualExclusionSpec? {
        keyMember.read(object, scope, &reading).map(MutualExclusionSpec.init)
    }

    func condition(in surroundings: ConditionSurroundings) -> any AOperationCondition { MutualExclusion(key) }
}
