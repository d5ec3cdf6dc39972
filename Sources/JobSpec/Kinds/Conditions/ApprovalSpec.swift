internal import JobKit
internal import StrictJSON

/// Waits until a person approves the request.
struct ApprovalSpec: ConditionKind {
    var question: ApprovalQuestion

    static let name = "approval"
    static let wait: WaitWords? = WaitWords(.approval, "approval") { _ in
        "an approval"
    } end: {
        "It goes on when a person answers: POST /v1/approvals/\($0.key ?? "{id}"):approve or :reject."
    }
    static let members: [any KindMember] = [promptMember, audienceMember, timeoutMember, fallbackMember]
    private static let promptMember = RequiredMember(
        "prompt", .text(bytes: 1...1_000), remedy: "Say what the person decides.",
        suggestion: #""prompt": "Pay this invoice?""#)
    private static let audienceMember = OptionalMember("audience", .name)
    private static let timeoutMember = OptionalMember("timeout", .wait)
    private static let fallbackMember = OptionalMember<ApprovalQuestion.Fallback>("on_timeout", .word)

    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading) -> ApprovalSpec?
    {
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
        guard let prompt = promptMember.read(object, scope, &reading) else { return nil }
        question.prompt = prompt
        return ApprovalSpec(question: question)
    }

    func condition(in surroundings: ConditionSurroundings) -> any AOperationCondition {
        ApprovalCondition(question: question, subject: surroundings.subject)
    }
}
