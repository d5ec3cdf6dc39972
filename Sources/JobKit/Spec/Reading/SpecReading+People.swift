internal import StrictJSON

/// Conditions that ask people.
extension SpecReading {
    static let approvalMembers = ["type", "prompt", "audience", "timeout", "on_timeout"]

    mutating func approval(_ object: JSONObject) -> ApprovalQuestion? {
        var question = ApprovalQuestion(prompt: "")
        question.audience = object["audience"].flatMap { value in inside("audience") { $0.name(value) } }
        question.timeout = object["timeout"].flatMap { value in
            inside("timeout") { $0.interval(value, atMost: $0.limits.waitMax) }
        }
        if let value = object["on_timeout"],
            let fallback = inside("on_timeout", { $0.word(value, ApprovalQuestion.Fallback.self) })
        {
            question.onTimeout = fallback
            if object["timeout"] == nil {
                missing(
                    "timeout", "\"on_timeout\" needs a timeout to apply to.", suggestion: #""timeout": "8h""#)
            }
        }
        guard let value = object["prompt"] else {
            missing(
                "prompt", "Say what the person decides.", suggestion: #""prompt": "Pay this invoice?""#)
            return nil
        }
        guard let prompt = inside("prompt", { $0.string(value, bytes: 1...1_000) }) else { return nil }
        question.prompt = prompt
        return question
    }
}
