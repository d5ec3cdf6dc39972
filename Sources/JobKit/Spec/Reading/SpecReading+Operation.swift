internal import StrictJSON

/// What every operation may say, and the choice of its type.
extension SpecReading {
    static let types = ["network", "delay", "group", "value"]

    static let commonMembers = [
        "type", "name", "after", "conditions", "when", "timeout", "deadline", "on_failure",
    ]
    private static let ownMembers: [String: [String]] = [
        "network": ["request", "expect", "retry"],
        "delay": ["for", "until", "from"],
        "group": ["operations", "concurrency", "ordered", "fail_fast"],
        "value": ["value"],
    ]
    private static let knownMembers: [String: [String]] = ownMembers.mapValues { commonMembers + $0 }
    private static let knownRootMembers: [String: [String]] = knownMembers.mapValues { $0 + rootMembers }

    /// To whom a member belongs.
    private enum Owner {
        case common, root
        case type(String)
    }

    private static let owners: [String: Owner] = {
        var owners: [String: Owner] = [:]
        for name in commonMembers { owners[name] = .common }
        for name in rootMembers { owners[name] = .root }
        for (type, names) in ownMembers { for name in names { owners[name] = .type(type) } }
        return owners
    }()

    /// One operation.
    ///
    /// - Parameter position: its place among its siblings from 1; nil for the root, which may have the job's members.
    mutating func operation(_ object: JSONObject, position: Int?) -> OperationSpec? {
        guard countOperation(), let type = operationType(object) else { return nil }
        guard Self.types.contains(type) else { return custom(type, object, position: position) }
        guard
            let known = (position == nil ? Self.knownRootMembers : Self.knownMembers)[type]
        else { return nil }
        let name = object["name"].flatMap { value in inside("name") { $0.name(value) } }
        var draft = OperationDraft(name: name ?? (position.map { "\(type)_\($0)" } ?? type))
        if position == nil { hasReadRoot = true }
        members(of: object, "A \(type) operation", known: known) { reading, name, value in
            switch Self.owners[name] {
            case .common: reading.commonMember(name, value, of: &draft)
            case .root: reading.rootMemberSeen(name, value, isRoot: position == nil)
            case .type(let owner): owner == type || reading.foreignMember(name, of: type, owner: owner)
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
            let guess = Self.ownMembers.first { $0.value.contains { object[$0] != nil } }?.key
            missing("type", "Types are: \(list).", suggestion: guess.map { "\"type\": \"\($0)\"" })
            return nil
        }
        if case .string(let type) = value, Self.types.contains(type) || hasKind(type) { return type }
        return inside("type") { reading in
            let list = reading.allTypes.joined(separator: ", ")
            guard let type = reading.string(value, "one of the types \(list)") else { return nil }
            reading.note(
                .unknownType, "There is no type \"\(Self.quotable(type))\". Types are: \(list).",
                suggestion: SpellingSuggestion.nearest(to: type, in: reading.allTypes))
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

    /// A member that other types have.
    private mutating func foreignMember(_ name: String, of type: String, owner: String) -> Bool {
        if name == "retry" {
            note(
                .notAvailable, "A \(type) operation is not tried again as a whole; its calls are.",
                suggestion: #"say "retry" in the calls, or in "defaults" of the job"#)
        } else {
            note(.unknownMember, "\"\(name)\" belongs to operations of type \(owner), not \(type).")
        }
        return true
    }

    mutating func commonMember(_ name: String, _ value: JSONValue, of draft: inout OperationDraft)
        -> Bool
    {
        switch name {
        case "after": draft.after = after(value, of: draft.name)
        case "conditions": draft.conditions = conditions(value)
        case "when": draft.when = predicate(value, hasDocument: false)
        case "timeout": draft.timeout = interval(value, atMost: limits.waitMax)
        case "deadline": draft.deadline = deadline(value)
        case "on_failure": draft.onFailure = word(value) ?? .fail
        default: break
        }
        return true
    }

    private mutating func kind(
        _ type: String, _ object: JSONObject, _ draft: inout OperationDraft
    ) -> OperationSpec.Kind? {
        switch type {
        case "network": network(object, &draft)
        case "delay": delay(object).map(OperationSpec.Kind.delay)
        case "group": group(object).map(OperationSpec.Kind.group)
        default:
            if let value = object["value"] {
                OperationSpec.Kind.value(inside("value") { $0.binding(value) })
            } else {
                missingValue()
            }
        }
    }

    private mutating func missingValue() -> OperationSpec.Kind? {
        missing(
            "value", "A value operation says which value it has.", suggestion: #""value": {"answer": 42}"#)
        return nil
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

/// The common part of an operation while it is read.
struct OperationDraft {
    var name: String
    var after: [OperationSpec.AfterEdge] = []
    var conditions: [ConditionSpec] = []
    var when: Predicate?
    var retry: RetrySpec?
    var timeout: Duration?
    var deadline: OperationSpec.Deadline?
    var onFailure = OperationSpec.OnFailure.fail
    var expect: Expectation?

    init(name: String) { self.name = name }

    func operation(_ kind: OperationSpec.Kind) -> OperationSpec {
        var operation = OperationSpec(kind: kind, name: name)
        operation.after = after
        operation.conditions = conditions
        operation.when = when
        operation.retry = retry
        operation.timeout = timeout
        operation.deadline = deadline
        operation.onFailure = onFailure
        operation.expect = expect
        return operation
    }
}
