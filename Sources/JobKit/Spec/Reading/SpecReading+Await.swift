internal import StrictJSON

/// Operations that wait for a signal.
extension SpecReading {
    mutating func await(_ object: JSONObject, _ draft: inout OperationDraft) -> AwaitSpec? {
        guard let value = object["signal"] else {
            missing(
                "signal", "An await operation says which signal it waits for.",
                suggestion: #""signal": "paid""#)
            return nil
        }
        guard let signal = inside("signal", { $0.name(value) }) else { return nil }
        var spec = AwaitSpec(signal: signal)
        spec.match = object["match"].flatMap { value in
            inside("match") { $0.predicate(value, on: .result) }
        }
        guard
            let fallback = object["on_timeout"].flatMap({ value in
                inside("on_timeout") { $0.onTimeout(value) }
            })
        else { return spec }
        guard let limit = draft.timeout else {
            if object["timeouts"] == nil {
                missing(
                    "timeouts", "\"on_timeout\" needs a clock to apply to.",
                    suggestion: #""timeouts": {"total": "1h"}"#)
            }
            return spec
        }
        // The wait ends by itself then: the operation's own clock has nothing to stop.
        spec.limit = limit
        spec.fallback = fallback
        draft.timeout = nil
        return spec
    }

    /// What stands in for the signal's value; nil when its absence is a failure.
    private mutating func onTimeout(_ value: JSONValue) -> JSONValue? {
        enum Word: String, CaseIterable { case fail, `continue` }
        guard case .object(let object) = value else {
            return word(value, Word.self) == .continue ? .null : nil
        }
        guard let fallback = object["value"], object.members.count == 1 else {
            wrongType(value, #""fail", "continue", or an object such as {"value": {"paid": false}}"#)
            return nil
        }
        return fallback
    }
}
