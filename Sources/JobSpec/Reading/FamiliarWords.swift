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
        note(name, member(letters(of: name), value, of: type, operation), &reading)
    }

    /// The same for a member of a request.
    static func noteRequestMember(_ name: String, _ reading: inout SpecReading) -> Bool {
        note(name, requestAnswer(name), &reading)
    }

    private static func note(_ name: String, _ answer: Answer?, _ reading: inout SpecReading) -> Bool {
        guard let answer else { return false }
        reading.note(
            .unknownMember, "There is no member \"\(String(quotable: name))\". \(answer.detail)",
            suggestion: answer.suggestion)
        return true
    }

    private static func member(
        _ word: String, _ value: JSONValue, of type: String, _ operation: String
    ) -> Answer? {
        switch word {
        case "catch", "onfail", "onfailed", "compensate": (reactionDetail, reaction(to: operation))
        case "approval", "manual", "approve": ("An approval is a condition.", approval)
        case "schedule", "cron", "crontab", "scheduleexpression": schedule(value.string, type)
        case "foreach" where type != "group": (eachDetail, each)
        case "parallel" where type != "group": (togetherDetail, together)
        default: partAnswer(word, value, of: type, operation)
        }
    }

    static func schedule(_ times: String?, _ type: String) -> Answer {
        guard let times else { return schedule("cron", "0 3 * * *", type) }
        if let interval = interval(times) { return schedule("every", interval, type) }
        return schedule("cron", String(quotable: fiveFields(times) ?? times), type)
    }

    /// The interval of `rate(5 minutes)` and `@every 5m`; nil for any other text.
    private static func interval(_ times: String) -> String? {
        guard times.utf8.count <= bytesMax else { return nil }
        let beginning = ["rate(", "@every ", "every "].first { times.utf8.starts(with: $0.utf8) }
        guard let beginning else { return nil }
        let rest = times.utf8.dropFirst(beginning.utf8.count).filter { $0 != UInt8(ascii: ")") }
        let text = String(decoding: rest, as: UTF8.self)
        do throws(DurationTextError) {
            _ = try DurationText.parse(text)
            return text
        } catch { return error.suggestion }
    }

    /// A cron expression with seconds, and perhaps a year, without them; nil for any other text.
    private static func fiveFields(_ times: String) -> String? {
        guard times.utf8.count <= bytesMax else { return nil }
        let fields = times.utf8.split(separator: UInt8(ascii: " "))
        guard (6...7).contains(fields.count) else { return nil }
        return fields[1...5].map { $0.elementsEqual("?".utf8) ? "*" : String(Substring($0)) }
            .joined(separator: " ")
    }

    static func schedule(every interval: String, _ type: String) -> Answer {
        schedule("every", interval, type)
    }

    private static func schedule(_ member: String, _ times: String, _ type: String) -> Answer {
        (
            "A schedule is stored on its own and makes the jobs: PUT /v1/schedules/{name}.",
            "{\"\(member)\": \"\(times)\", \"job\": {\"type\": \"\(type)\"}}"
        )
    }

    /// The answer to a type that other systems have.
    /// - Parameter object: the operation.
    static func type(_ name: String, of object: JSONObject) -> Answer? {
        switch letters(of: name) {
        case "approval", "manual", "approve", "human", "humantask", "usertask", "confirm":
            ("An approval is a condition of the operation that needs it.", approval)
        case "if":
            (
                "Any operation may have \"when\"; \"choose\" runs the first of several whose \"when\" holds.",
                #""when": {"$get": "check", "at": "/body/state", "equals": "paid"}"#
            )
        case "gate": ("Any operation may have \"when\".", #"write "when" into the operation itself"#)
        case "map" where object["input"] == nil && object["Input"] == nil: (eachDetail, each)
        case "foreach", "foreachitem", "fanout": (eachDetail, each)
        case "parallel", "fork", "forkjoin": (togetherDetail, together)
        case "join": ("An operation that follows several ones joins them.", #""after": ["a", "b"]"#)
        case "chain", "sequence", "pipeline", "serial", "sequential":
            ("The operations of an ordered group run one after the other.", ordered)
        case "catch", "try": (reactionDetail, reaction(to: "charge"))
        case "schedule", "cron", "cronjob", "cronworkflow": schedule(object["schedule"]?.string, "network")
        case "fail", "raise", "throw", "error", "terminate":
            (
                "An operation fails where one of its conditions does not hold.",
                #""conditions": [{"when": {"$get": "check", "at": "/body/state", "equals": "paid"}}]"#
            )
        default: nil
        }
    }

    /// The answer to an operation that says no type, by the words that other systems have in its place; nil when there
    /// are none.
    static func typeless(_ object: JSONObject) -> Answer? {
        let members = object.members.prefix(wordsMax).map { (word: letters(of: $0.name), value: $0.value) }
        func value(_ words: String...) -> JSONValue? {
            words.lazy.compactMap { word in members.first { $0.word.hasSameBytes(as: word) }?.value }.first
        }
        if value("type") != nil { return ("Names of members are in lower case.", "\"type\"") }
        if value("for")?.object != nil || value("foreach") != nil { return (eachDetail, each) }
        if value("try", "catch") != nil { return (reactionDetail, reaction(to: "charge")) }
        if value("apiversion", "kind") != nil {
            return value("spec")?.object.flatMap { typeless($0) } ?? (callDetail, call)
        }
        if value("assign") != nil {
            return ("A value is an operation, too, and others read it.", #"{"type": "value", "value": 1}"#)
        }
        if value("sleep", "wait", "pause") != nil { return wait }
        if groupWords.contains(where: { value($0) != nil }) {
            return ("The steps of a job are the operations of a group.", together)
        }
        if let use = value("uses", "subworkflow") {
            let name = use.string?.utf8.split(separator: UInt8(ascii: "@")).first.map {
                String(Substring($0))
            }
            return ("A stored spec is a template.", "\"template\": \"\(String(quotable: name ?? "resize"))\"")
        }
        if let times = value("cron", "schedule") { return schedule(times.string, "network") }
        guard let called = callWords.lazy.compactMap({ value($0) }).first else { return nil }
        return called.string?.utf8.suffix(5).elementsEqual("sleep".utf8) == true ? wait : (callDetail, call)
    }

    private static let wait: Answer = ("A delay waits.", #"{"type": "delay", "for": "10s"}"#)
    private static let callDetail = "A job calls a server, which has the code."
    private static let call =
        #"{"type": "network", "request": {"method": "POST", "url": "https://example.com/", "json": {}}}"#

    private static let wordsMax = 40
    private static let groupWords = [
        "states", "startat", "jobs", "steps", "tasks", "stages", "nodes", "templates", "entrypoint",
        "parallel",
        "branches", "workflow", "children", "main",
    ]
    private static let callWords = [
        "call", "url", "uri", "endpoint", "class", "task", "taskname", "function", "handler", "resource",
        "opts",
        "run", "command", "activity", "httprequest", "containers", "image",
        "destination",
    ]

    /// The failure of an operation as what another one follows.
    static func reaction(to operation: String) -> String {
        "\"after\": [{\"operation\": \"\(operation)\", \"states\": [\"failed\"]}]"
    }

    static let reactionDetail = "A reaction to a failure is another operation, which follows this one."
    static let approval = #""conditions": [{"type": "approval", "prompt": "Pay this invoice?"}]"#
    static let eachDetail = "A group with \"map\" makes an operation for each element of a list."
    static let each =
        #"{"type": "group", "map": {"items": [1, 2, 3], "operation": {"type": "value", "value": 1}}}"#
    static let eachMember =
        #""map": {"items": [1, 2, 3], "operation": {"type": "value", "value": 1}}"#
    private static let ordered =
        #"{"type": "group", "ordered": true, "operations": [{"type": "value", "value": 1}]}"#
    private static let togetherDetail =
        "The operations of a group run at the same time, unless it is \"ordered\" or has a \"concurrency\"."
    static let together = #"{"type": "group", "operations": [{"type": "value", "value": 1}]}"#

    /// Longer words mean nothing here.
    private static let bytesMax = 64

    static func letters(of word: String) -> String {
        word.utf8.count > bytesMax ? "" : word.lowercased().filter { $0 != "_" && $0 != "-" }
    }
}
