internal import JobKit
internal import StrictJSON

/// Waits until a person approves the request.
struct ApprovalSpec: ConditionKind {
    var question: ApprovalQuestion
    /// Whether it makes no request, and holds when exactly this request was approved earlier in the job.
    var checksOnly: Bool

    static let name = "approval"
    static let wait: WaitWords? = WaitWords(.approval, "approval") { _ in
        "an approval"
    } end: { wait, _ in
        wait.key.map { "It goes on when a person answers: POST /v1/approvals/\($0):approve or :reject." }
            ?? "It goes on when a person answers."
    }
    static let members: [any KindMember] = [
        promptMember, audienceMember, timeoutMember, fallbackMember, checkOnlyMember,
    ]
    private static let promptMember = RequiredMember(
        "prompt", .text(bytes: 1...1_000), remedy: "Say what the person decides.",
        suggestion: #""prompt": "Pay this invoice?""#)
    private static let audienceMember = OptionalMember("audience", .name)
    private static let timeoutMember = OptionalMember("timeout", .wait)
    private static let fallbackMember = OptionalMember<ApprovalQuestion.Fallback>("on_timeout", .word)
    private static let checkOnlyMember = DefaultedMember("check_only", .bool, default: false)

    static func read(
        _ object: JSONObject, _ otherwise: ConditionOtherwise, _ scope: SpecScope,
        _ reading: inout SpecReading
    ) -> ApprovalSpec? {
        var question = ApprovalQuestion(prompt: "")
        question.audience = audienceMember.read(object, scope, &reading)
        question.timeout = timeoutMember.read(object, scope, &reading)
        if let fallback = fallbackMember.read(object, scope, &reading) {
            question.onTimeout = fallback
            if object[timeoutMember.name] == nil {
                reading.missing(
                    "timeout", "\"on_timeout\" needs a timeout to apply to.", suggestion: #""timeout": "8h""#)
            }
        }
        let checksOnly = checkOnlyMember.read(object, scope, &reading)
        guard let prompt = promptMember.read(object, scope, &reading) else { return nil }
        question.prompt = prompt
        return ApprovalSpec(question: question, checksOnly: checksOnly)
    }

    func condition(in surroundings: ConditionSurroundings) -> any OperationCondition {
        let condition = ApprovalCondition(question: question, subject: surroundings.subject)
        return checksOnly ? SilentCondition(condition) : condition
    }
}
