internal import JobKit
internal import StrictJSON

/// No other operation with this key is executed at the same time, whatever its job.
struct LockSpec: ConditionKind {
    var key: String

    static let name = "lock"
    static let wait: WaitWords? = WaitWords(.exclusion, "lock", isBeforeMore: true) {
        "the exclusive key \($0.key ?? "")"
    } end: { _, _ in
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
    ) -> LockSpec? {
        keyMember.read(object, scope, &reading).map(LockSpec.init)
    }

    func condition(in surroundings: ConditionSurroundings) -> any OperationCondition { MutualExclusion(key) }
}
