internal import JobKit
internal import StrictJSON

/// Members and types of other systems that are no single word here, with the answers to them.
enum FamiliarWords {
    /// The advice, as a sentence, and the text of a spec that does it.
    typealias Answer = (detail: String, suggestion: String)

    /// Reports a member of an operation that other systems have; false for any other word.
    /// - Parameters:
    ///   - type: the type of the operation.
    ///   - operation: its name.
    static func noteMember(
        _ name: String, _ value: JSONValue, of type: String, _ operation: String, _ reading: inout SpecReading
    ) -> Bool {
        guard let answer = member(letters(of: name), value, of: type, operation) else { return false }
        reading.note(
            .unknownMember, "There is no member \"\(String(quotable: name))\". \(answer.detail)",
            suggestion: answer.suggestion)
        return true
    }

    private static func member(
        _ word: String, _ value: JSONValue, of type: String, _ operation: String
    ) -> Answer? {
        switch word {
        case "catch", "onfail", "onfailed", "compensate":
            return (reactionDetail, reaction(to: operation))
        case "approval", "manual", "approve": return ("An approval is a condition.", approval)
        case "schedule", "cron", "crontab":
            let times = value.string.map { String(quotable: $0) } ?? "0 3 * * *"
            return (
                "A schedule is stored on its own and makes the jobs: PUT /v1/schedules/{name}.",
                "{\"cron\": \"\(times)\", \"job\": {\"type\": \"\(type)\"}}"
            )
        case "foreach" where type != "group": return (eachDetail, each)
        case "parallel" where type != "group": return (togetherDetail, together)
        default: return nil
        }
    }

    /// The answer to a type that other systems have.
    static func type(_ name: String) -> Answer? {
        switch letters(of: name) {
        case "approval", "manual", "approve":
            ("An approval is a condition of the operation that needs it.", approval)
        case "if":
            (
                "Any operation may have \"when\"; \"choose\" runs the first of several whose \"when\" holds.",
                #""when": {"$get": "check", "at": "/body/state", "equals": "paid"}"#
            )
        case "gate": ("Any operation may have \"when\".", #"write "when" into the operation itself"#)
        case "foreach": (eachDetail, each)
        case "parallel": (togetherDetail, together)
        case "catch", "try": (reactionDetail, reaction(to: "charge"))
        case "schedule", "cron":
            (
                "A schedule is stored on its own and makes the jobs: PUT /v1/schedules/{name}.",
                #"{"cron": "0 3 * * *", "job": {"type": "value", "value": 1}}"#
            )
        default: nil
        }
    }

    /// The failure of an operation as what another one follows.
    static func reaction(to operation: String) -> String {
        "\"after\": [{\"operation\": \"\(operation)\", \"states\": [\"failed\"]}]"
    }

    static let reactionDetail = "A reaction to a failure is another operation, which follows this one."
    private static let approval = #""conditions": [{"type": "approval", "prompt": "Pay this invoice?"}]"#
    private static let eachDetail = "A group with \"map\" makes an operation for each element of a list."
    private static let each =
        #"{"type": "group", "map": {"items": [1, 2, 3], "operation": {"type": "value", "value": 1}}}"#
    private static let togetherDetail =
        "The operations of a group run at the same time, unless it is \"ordered\" or has a \"concurrency\"."
    private static let together = #"{"type": "group", "operations": [{"type": "value", "value": 1}]}"#

    /// Longer words mean nothing here.
    private static let bytesMax = 64

    private static func letters(of word: String) -> String {
        word.utf8.count > bytesMax ? "" : word.lowercased().filter { $0 != "_" && $0 != "-" }
    }
}
