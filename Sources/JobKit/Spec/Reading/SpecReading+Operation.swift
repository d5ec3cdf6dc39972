internal import StrictJSON

/// What every operation may say, and the choice of its type.
extension SpecReading {
    static let types = [
        "network", "download", "delay", "group", "value", "map", "gate", "repeat", "await", "poll",
        "notify", "wrapper",
    ]

    static let commonMembers = [
        "type", "name", "after", "conditions", "when", "timeouts", "deadline", "on_failure",
    ]
    private static let ownMembers: [String: [String]] = [
        "network": ["request", "connection", "to", "expect", "retry"],
        "download": ["request", "connection", "to", "resume", "verify", "expect", "retry"],
        "delay": ["for", "until", "from", "input"],
        "group": [
            "operations", "map", "concurrency", "ordered", "fail_fast", "succeed_when", "cancel_rest",
            "finally",
        ],
        "value": ["value"],
        "map": ["input", "where", "each", "flatten", "reduce", "to", "rescue"],
        "gate": ["operation"],
        "repeat": ["operation", "times", "until", "every", "backoff", "stop_on_failure"],
        "poll": [
            "request", "connection", "expect", "retry", "until", "fail_if", "every", "backoff", "max_polls",
            "follow",
        ],
        "notify": ["request", "connection", "expect", "retry", "message", "title", "data"],
        "wrapper": ["template", "params"],
        "await": ["signal", "match", "on_timeout"],
    ]
    private static let knownMembers: [String: [String]] = ownMembers.mapValues { commonMembers + $0 }
    private static let knownRootMembers: [String: [String]] = knownMembers.mapValues { $0 + rootMembers }

    /// To whom a member belongs.
    private enum Owner {
        case common, root
        case types([String])
    }

    /// Where an operation stands.
    enum Seat {
        /// It is the job, and may have the job's members.
        case root
        /// Its place among its siblings, from 1.
        case member(Int)
        /// Alone inside of another operation.
        case inner
    }

    private static let owners: [String: Owner] = {
        var owners: [String: Owner] = [:]
        for name in commonMembers { owners[name] = .common }
        for name in rootMembers { owners[name] = .root }
        for type in types {
            for name in ownMembers[type] ?? [] {
                if case .types(let others) = owners[name] {
                    owners[name] = .types(others + [type])
                } else if owners[name] == nil {
                    owners[name] = .types([type])
                }
            }
        }
        return owners
    }()

    /// One operation.
    mutating func operation(_ object: JSONObject, at seat: Seat) -> OperationSpec? {
        let isRoot = if case .root = seat { true } else { false }
        guard countOperation(), let type = operationType(object) else { return nil }
        guard Self.types.contains(type) else { return custom(type, object, at: seat) }
        let name = object["name"].flatMap { value in inside("name") { $0.name(value) } }
        var draft = OperationDraft(type: type, name: name ?? seat.defaultName(type), isRoot: isRoot)
        if isRoot { hasReadRoot = true }
        members(
            of: object, "\(Self.withArticle(type)) operation",
            known: (isRoot ? Self.knownRootMembers : Self.knownMembers)[type] ?? []
        ) { reading, name, value in
            switch Self.owners[name] {
            case .common: reading.commonMember(name, value, of: &draft)
            case .root: reading.rootMemberSeen(name, value, isRoot: isRoot)
            case .types(let owners): owners.contains(type) || reading.foreignMember(name, of: type, owners)
            case nil: false
            }
        }
        guard let kind = kind(type, object, &draft) else { return nil }
        return draft.operation(kind)
    }

    private mutating func countOperation() -> Bool {
        operationCount += 1
        if operationCount == limits.operationsMax + 1 {
            note(
                .tooManyOperations,
                "The job has more than \(limits.operationsMax) operations. Split it into several jobs.")
        }
        return operationCount <= limits.operationsMax
    }

    private mutating func operationType(_ object: JSONObject) -> String? {
        guard let value = object["type"] else {
            let list = allTypes.joined(separator: ", ")
            let guess = Self.types.first { type in
                Self.ownMembers[type]?.contains { object[$0] != nil } ?? false
            }
            missing("type", "Types are: \(list).", suggestion: guess.map { "\"type\": \"\($0)\"" })
            return nil
        }
        if case .string(let type) = value, Self.types.contains(type) || hasKind(type) { return type }
        return inside("type") { reading in
            let list = reading.allTypes.joined(separator: ", ")
            guard let type = reading.string(value, "one of the types \(list)") else { return nil }
            reading.note(
                .unknownType, "There is no type \"\(Self.quotable(type))\". Types are: \(list).",
                suggestion: OtherWords.meant(by: type, in: reading.allTypes))
            return nil
        }
    }

    mutating func rootMemberSeen(_ name: String, _ value: JSONValue, isRoot: Bool) -> Bool {
        if isRoot {
            rootMember(name, value)
        } else {
            note(
                .rootOnly,
                "\"\(name)\" applies to the whole job. Move it to the outermost object"
                    + (name == "delay" ? ", or put an operation of type delay before this one." : "."))
        }
        return true
    }

    /// Whether the operation is the whole job, and so has no siblings. What was accepted once may say `after` all the
    /// same; it never had a meaning.
    private mutating func isAlone(_ draft: OperationDraft) -> Bool {
        guard draft.isRoot else { return false }
        guard kinds != nil else { return true }
        note(
            .notAvailable,
            "\"after\" names siblings, and the outermost operation has none. What waits and what it waits for "
                + "belong into one group, in one job.")
        return true
    }

    /// A member that other types have.
    private mutating func foreignMember(_ name: String, of type: String, _ owners: [String]) -> Bool {
        if name == "retry" {
            note(
                .notAvailable,
                "\(Self.withArticle(type)) operation is not tried again as a whole; its calls are.",
                suggestion: #"say "retry" in the calls, or in "defaults" of the job"#)
        } else if name == "operation", type == "map" {
            note(
                .unknownMember,
                "A map operation only rewrites a list. A group with \"map\" makes an operation for each element.",
                suggestion:
                    #"{"type": "group", "map": {"items": [1, 2, 3], "operation": {"type": "value", "value": 1}}}"#
            )
        } else {
            note(
                .unknownMember,
                "\"\(name)\" belongs to operations of type \(owners.joined(separator: " or ")), not \(type).")
        }
        return true
    }

    mutating func commonMember(_ name: String, _ value: JSONValue, of draft: inout OperationDraft)
        -> Bool
    {
        switch name {
        case "after": draft.after = isAlone(draft) ? [] : after(value, of: draft.name)
        case "conditions": draft.conditions = ConditionKinds.readList(value, &self)
        case "when": draft.when = predicate(value, on: .nothing)
        case "timeouts": readTimeouts(value, of: &draft)
        case "deadline": draft.deadline = deadline(value)
        case "on_failure": draft.onFailure = word(value) ?? .fail
        default: break
        }
        return true
    }

    private mutating func readTimeouts(_ value: JSONValue, of draft: inout OperationDraft) {
        let isCall = Self.ownMembers[draft.type]?.contains("request") ?? false
        var clocks = (isCall ? Self.callClocks : []) + ["total"]
        if draft.isRoot { clocks.insert("queue", at: 0) }
        draft.timeouts = timeouts(
            value, of: "\(Self.withArticle(draft.type)) operation", clocks: clocks)
        draft.timeout = draft.timeouts.total
        if let queue = draft.timeouts.queue { root.expiresAfter = queue }
    }

    private mutating func kind(
        _ type: String, _ object: JSONObject, _ draft: inout OperationDraft
    ) -> OperationSpec.Kind? {
        switch type {
        case "network": call(object, &draft).map(OperationSpec.Kind.network)
        case "download": download(object, &draft).map(OperationSpec.Kind.download)
        case "poll": poll(object, &draft).map(OperationSpec.Kind.poll)
        case "notify": notify(object, &draft).map(OperationSpec.Kind.notify)
        case "delay": delay(object, &draft).map(OperationSpec.Kind.delay)
        case "group": group(object).map(OperationSpec.Kind.group)
        case "map": map(object).map(OperationSpec.Kind.map)
        case "wrapper": wrapper(object).map(OperationSpec.Kind.wrapper)
        case "gate": gate(object, draft).map(OperationSpec.Kind.gate)
        case "repeat": repetition(object).map(OperationSpec.Kind.repeat)
        case "await": self.await(object, &draft).map(OperationSpec.Kind.await)
        default: self.value(object)
        }
    }

    private mutating func value(_ object: JSONObject) -> OperationSpec.Kind? {
        guard let value = object["value"] else {
            missing(
                "value", "A value operation says which value it has.",
                suggestion: #""value": {"answer": 42}"#)
            return nil
        }
        return .value(inside("value") { $0.binding(value) })
    }

    /// The edges written in `after`.
    private mutating func after(_ value: JSONValue, of name: String) -> [OperationSpec.AfterEdge] {
        guard case .array(let elements) = value else {
            wrongType(value, "a list of names", suggestion: value.string.map { "[\"\($0)\"]" })
            return []
        }
        var edges: [OperationSpec.AfterEdge] = []
        for (index, element) in elements.enumerated() {
            enter(index)
            if let edge = edge(element) {
                if edges.contains(where: { $0.operation == edge.operation }) {
                    note(.duplicateName, "\"\(Self.quotable(edge.operation))\" stands in \"after\" twice.")
                }
                edges.append(edge)
            }
            leave()
        }
        return edges
    }

    private mutating func edge(_ value: JSONValue) -> OperationSpec.AfterEdge? {
        if case .string(let name) = value { return OperationSpec.AfterEdge(operation: name) }
        guard case .object(let object) = value else {
            wrongType(value, "a name, or an object such as {\"operation\": \"a\", \"on\": \"finished\"}")
            return nil
        }
        var name: String?
        var requirement = EdgeRequirement.succeeded
        members(of: object, "An edge", known: ["operation", "on"]) { reading, member, value in
            switch member {
            case "operation": name = reading.string(value, "a name")
            case "on": requirement = reading.word(value) ?? .succeeded
            default: return false
            }
            return true
        }
        if object["operation"] == nil { missing("operation", "Say which operation must be finished first.") }
        return name.map { OperationSpec.AfterEdge(operation: $0, on: requirement) }
    }

    private mutating func deadline(_ value: JSONValue) -> OperationSpec.Deadline? {
        if case .string(let text) = value, text.utf8.count >= 10,
            text.utf8.dropFirst(4).first == UInt8(ascii: "-")
        {
            return nearTime(value).map(OperationSpec.Deadline.at)
        }
        return interval(value, atMost: limits.waitMax).map(OperationSpec.Deadline.after)
    }

    private mutating func delay(_ object: JSONObject, _ draft: inout OperationDraft) -> DelaySpec? {
        draft.input = object["input"].map { value in inside("input") { $0.binding(value) } }
        return delay(object)
    }

    private mutating func delay(_ object: JSONObject) -> DelaySpec? {
        enum Origin: String, CaseIterable { case execution, submission }
        let origin =
            object["from"].flatMap { value in inside("from") { $0.word(value, Origin.self) } } ?? .execution
        switch (object["for"], object["until"]) {
        case (let value?, nil):
            return inside("for") { reading in
                reading.duration(value, atLeast: .zero, atMost: reading.limits.waitMax).map {
                    origin == .submission ? .sinceSubmission($0) : .for($0)
                }
            }
        case (nil, let value?):
            if object["from"] != nil {
                note(member: "from", .conflict, "\"from\" goes with \"for\", not \"until\".")
            }
            return inside("until") { $0.nearTime(value).map(DelaySpec.until) }
        case (nil, nil):
            missing(
                "for", "A delay says how long (\"for\") or until when (\"until\").",
                suggestion: #""for": "90s""#)
        default:
            note(member: "until", .conflict, "A delay has \"for\" or \"until\", not both. Leave one out.")
        }
        return nil
    }
}

extension SpecReading.Seat {
    /// The name of an operation that does not say its own.
    func defaultName(_ type: String) -> String {
        if case .member(let position) = self { "\(type)_\(position)" } else { type }
    }

    /// The first position on which the name that is made for an operation is free, if one has to be made.
    static func freePosition(from first: Int, _ object: JSONObject, isFree: (String) -> Bool) -> Int {
        guard object["name"] == nil, let type = object["type"]?.string else { return first }
        var position = first
        while !isFree(Self.member(position).defaultName(type)) { position += 1 }
        return position
    }
}

/// The common part of an operation while it is read.
struct OperationDraft {
    let type: String
    var name: String
    /// Whether it is the whole job.
    let isRoot: Bool
    var after: [OperationSpec.AfterEdge] = []
    var conditions: [ConditionSpec] = []
    var when: Predicate?
    var retry: RetrySpec?
    var timeouts = TimeoutMembers()
    var timeout: Duration?
    var sources: [String: SettingSource] = [:]
    var deadline: OperationSpec.Deadline?
    var onFailure = OperationSpec.OnFailure.fail
    var expect: Expectation?
    var input: Binding?

    init(type: String, name: String, isRoot: Bool) {
        self.type = type
        self.name = name
        self.isRoot = isRoot
    }

    private static func sources(_ timeouts: TimeoutMembers) -> [String: SettingSource] {
        Dictionary(uniqueKeysWithValues: timeouts.names.map { ("timeouts." + $0, .spec) })
    }

    func operation(_ kind: OperationSpec.Kind) -> OperationSpec {
        var operation = OperationSpec(kind: kind, name: name)
        operation.after = after
        operation.conditions = conditions
        operation.when = when
        operation.retry = retry
        operation.timeout = timeout
        operation.sources =
            sources.isEmpty && !timeouts.isEmpty ? OperationDraft.sources(timeouts) : sources
        operation.deadline = deadline
        operation.onFailure = onFailure
        operation.expect = expect
        operation.input = input
        return operation
    }
}
