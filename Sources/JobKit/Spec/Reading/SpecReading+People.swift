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

    mutating func authorizedFor(_ object: JSONObject) -> ConditionSpec? {
        let scope = object["scope"].flatMap { value in
            inside("scope") { reading -> String? in
                guard let text = reading.string(value, bytes: 1...127) else { return nil }
                if !GrantText.isScope(text) {
                    reading.note(.badName, "A scope has no spaces and no control characters.")
                }
                return text
            }
        }
        guard let value = object["capability"] else {
            missing(
                "capability", "Say which permission is needed.", suggestion: #""capability": "billing""#)
            return nil
        }
        guard let capability = inside("capability", { $0.name(value) }) else { return nil }
        return .authorizedFor(capability: capability, scope: scope)
    }
}

/// The form of what grants are for.
package enum GrantText {
    /// Whether `text` is a scope: 1…127 visible ASCII characters.
    package static func isScope(_ text: String) -> Bool {
        (1...127).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
