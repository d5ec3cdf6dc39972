internal import JobKit
internal import StrictJSON

/// Reads operations: what every operation may say, and the choice of its kind.
struct OperationReader {
    let scope: SpecScope

    init(_ scope: SpecScope) { self.scope = scope }

    static let commonMembers = [
        "type", "name", "after", "conditions", "when", "run_at", "start_by", "finish_by", "timeouts",
        "on_failure",
    ]

    /// Members that no kind can have for itself.
    static let reservedMembers = commonMembers + JobMembersReader.members + ["retry", "expect", "output"]

    /// One operation below the root; nil when it is invalid.
    func read(_ object: JSONObject, at seat: OperationSeat, _ reading: inout SpecReading) -> OperationSpec? {
        var draft = OperationDraft()
        return read(object, at: seat, &draft, &reading)
    }

    /// One operation; nil when it is invalid.
    /// - Parameter draft: receives the members, at the root with those of the job. Its type stays empty when the
    ///   members were not read.
    func read(
        _ object: JSONObject, at seat: OperationSeat, _ draft: inout OperationDraft,
        _ reading: inout SpecReading
    ) -> OperationSpec? {
        guard Self.isWithinCount(&reading), let kind = Self.kind(of: object, &reading) else { return nil }
        let type = kind.name
        let name = object["name"].flatMap { value in reading.inside("name") { $0.name(value) } }
        draft.type = type
        draft.name = name ?? seat.defaultName(type)
        let work =
            if let builtIn = kind.builtIn {
                builtInWork(builtIn, object, at: seat, &draft, &reading)
            } else {
                OperationSpec.Kind(customWork(type, object, at: seat, &draft, &reading))
            }
        guard let work else { return nil }
        return draft.operation(consume work)
    }

    private func builtInWork(
        _ kind: any BuiltInKind.Type, _ object: JSONObject, at seat: OperationSeat,
        _ draft: inout OperationDraft, _ reading: inout SpecReading
    ) -> OperationSpec.Kind? {
        let type = kind.name
        reading.members(
            of: object, "\(SpecReading.withArticle(type)) operation",
            known: BuiltInKinds.members(of: type, atRoot: seat == .root)
        ) { reading, name, value in
            switch BuiltInKinds.owner(of: name) {
            case .common: commonMember(name, value, of: &draft, at: seat, &reading)
            case .job: jobMember(name, value, of: &draft, at: seat, &reading)
            case .kinds(let names):
                names.contains(type)
                    || Self.noteForeignMember(name, value, of: type, draft.name, names, &reading)
            case nil: FamiliarWords.noteMember(name, value, of: type, draft.name, &reading)
            }
        }
        return kind.readWork(object, &draft, scope, &reading)
    }

    private static func isWithinCount(_ reading: inout SpecReading) -> Bool {
        reading.operationCount += 1
        if reading.operationCount == reading.limits.operationsMax + 1 {
            reading.note(
                .tooManyOperations,
                "The job has more than \(reading.limits.operationsMax) operations. Split it into several jobs."
            )
        }
        return reading.operationCount <= reading.limits.operationsMax
    }

    /// The kind by its name, and the built-in one if there is one.
    private static func kind(
        of object: JSONObject, _ reading: inout SpecReading
    ) -> (name: String, builtIn: (any BuiltInKind.Type)?)? {
        if case .string(let type)? = object["type"], let kind = BuiltInKinds.table[type] {
            return (type, kind)
        }
        let custom = reading.kinds
        func list() -> String { (BuiltInKinds.names + (custom?.names ?? [])).joined(separator: ", ") }
        guard let value = object["type"] else {
            // A template is named in place of a type, as in a schedule and on the command line.
            if object[TemplateSpec.name] != nil { return (TemplateSpec.name, TemplateSpec.self) }
            let answer = FamiliarWords.typeless(object)
            let guess = BuiltInKinds.all.first { kind in kind.members.contains { object[$0.name] != nil } }
            reading.missing(
                "type", (answer.map { "\($0.detail) " } ?? "") + "Types are: \(list()).",
                suggestion: answer?.suggestion ?? guess.map { "\"type\": \"\($0.name)\"" })
            return nil
        }
        if case .string(let type) = value,
            custom.map({ $0[type] != nil }) ?? SpecReading.isName(type)
        {
            return (type, nil)
        }
        return reading.inside("type") { reading in
            let list = list()
            guard let type = reading.string(value, "one of the types \(list)") else { return nil }
            let names = BuiltInKinds.names + (custom?.names ?? [])
            let answer = FamiliarWords.type(type, of: object)
            let meant = answer?.suggestion ?? reading.suggestion(for: type, in: names)
            reading.note(
                .unknownType,
                "There is no type \"\(String(quotable: type))\". "
                    + (answer.map { "\($0.detail) " } ?? "") + "Types are: \(list).",
                suggestion: meant, allowed: names)
            // The rest is read as if it had been said, so that all problems are reported at once.
            return meant.flatMap { name in BuiltInKinds.table[name].map { (name, $0) } }
        }
    }

    /// A member that applies to the whole job.
    private func jobMember(
        _ name: String, _ value: JSONValue, of draft: inout OperationDraft, at seat: OperationSeat,
        _ reading: inout SpecReading
    ) -> Bool {
        if seat == .root {
            JobMembersReader(scope).member(name, value, of: &draft.job, &reading)
        } else {
            reading.note(
                .rootOnly,
                "\"\(name)\" applies to the whole job. Move it to the outermost object.")
        }
        return true
    }

    /// A member that other types have.
    private static func noteForeignMember(
        _ name: String, _ value: JSONValue, of type: String, _ operation: String, _ owners: [String],
        _ reading: inout SpecReading
    ) -> Bool {
        if name == "retry" {
            reading.note(
                .notAvailable,
                "\(SpecReading.withArticle(type)) operation is not tried again as a whole; its calls are.",
                suggestion: #"say "retry" in the calls, or in "defaults" of the job"#)
        } else if name == "operation", type == TransformSpec.name {
            reading.note(
                .unknownMember,
                "A transform only rewrites a list. A group with \"map\" makes an operation for each element.",
                suggestion:
                    #"{"type": "group", "map": {"items": [1, 2, 3], "operation": {"type": "value", "value": 1}}}"#
            )
        } else if name == "input", type == DelaySpec.name {
            reading.note(
                .unknownMember, "A delay has no result. A value after it passes on what others need then.",
                suggestion: #"{"type": "value", "value": {"$get": "list"}, "after": ["pause"]}"#)
        } else {
            let answer = FamiliarWords.foreignAnswer(name, value, of: type, operation)
            reading.note(
                .unknownMember,
                "\"\(name)\" belongs to operations of type \(owners.joined(separator: " or ")), not \(type)."
                    + (answer.map { " \($0.detail)" } ?? ""),
                suggestion: answer?.suggestion)
        }
        return true
    }

    /// A member common to all operations.
    private func commonMember(
        _ name: String, _ value: JSONValue, of draft: inout OperationDraft, at seat: OperationSeat,
        _ reading: inout SpecReading
    )
        -> Bool
    {
        switch name {
        case "after": draft.after = Self.isAlone(seat, &reading) ? [] : Self.after(value, &reading)
        case "conditions": draft.conditions = ConditionKinds.readList(value, scope, &reading)
        case "when": draft.when = PredicateReader(scope).predicate(value, on: .nothing, &reading)
        case "timeouts": readTimeouts(value, of: &draft, &reading)
        case "run_at": draft.runAt = SpecTimeReader.time(value, of: name, &reading)
        case "start_by": draft.startBy = SpecTimeReader.time(value, of: name, &reading)
        case "finish_by": draft.finishBy = SpecTimeReader.time(value, of: name, &reading)
        case "on_failure": draft.onFailure = Self.onFailure(value, of: draft.name, &reading)
        default: break
        }
        return true
    }

    private static func onFailure(
        _ value: JSONValue, of name: String, _ reading: inout SpecReading
    ) -> OperationSpec.OnFailure {
        guard case .object = value else { return reading.word(value) ?? .fail }
        reading.wrongType(
            value, "\"fail\" or \"continue\"", suggestion: FamiliarWords.reaction(to: name),
            remedy: FamiliarWords.reactionDetail)
        return .fail
    }

    private func readTimeouts(
        _ value: JSONValue, of draft: inout OperationDraft, _ reading: inout SpecReading
    ) {
        let makesCalls = BuiltInKinds.table[draft.type]?.makesCalls ?? false
        let clocks = (makesCalls ? TimeoutReader.callClocks : []) + ["total"]
        draft.timeouts = TimeoutReader.timeouts(
            value, of: "\(SpecReading.withArticle(draft.type)) operation", clocks: clocks, &reading)
        draft.timeout = draft.timeouts.total
    }

    /// Whether the operation is the whole job, and so has no siblings. A stored spec may have `after` nevertheless; it
    /// never had an effect.
    private static func isAlone(_ seat: OperationSeat, _ reading: inout SpecReading) -> Bool {
        guard seat == .root else { return false }
        guard reading.kinds != nil else { return true }
        reading.note(
            .notAvailable,
            "\"after\" names siblings, and the outermost operation has none. What waits and what it waits for "
                + "belong into one group, in one job.")
        return true
    }

    /// The edges written in `after`.
    private static func after(_ value: JSONValue, _ reading: inout SpecReading) -> [OperationSpec.AfterEdge] {
        guard case .array(let elements) = value else {
            reading.wrongType(value, "a list of names", suggestion: value.string.map { "[\"\($0)\"]" })
            return []
        }
        var edges: [OperationSpec.AfterEdge] = []
        var known = NameIndex()
        for (index, element) in elements.enumerated() where !reading.isCut {
            reading.enter(index)
            if let edge = edge(element, &reading) {
                if known.position(of: edge.operation, in: edges, by: { $0.operation }) != nil {
                    reading.note(
                        .duplicateName,
                        "\"\(String(quotable: edge.operation))\" is in \"after\" twice.")
                }
                edges.append(edge)
            }
            reading.leave()
        }
        return edges
    }

    private static func edge(_ value: JSONValue, _ reading: inout SpecReading) -> OperationSpec.AfterEdge? {
        if case .string(let name) = value { return OperationSpec.AfterEdge(operation: name) }
        guard case .object(let object) = value else {
            reading.wrongType(
                value, "a name, or an object such as {\"operation\": \"a\", \"states\": [\"failed\"]}")
            return nil
        }
        var name: String?
        var states = EdgeStates.succeeded
        reading.members(of: object, "An edge", known: ["operation", "states"]) { reading, member, value in
            switch member {
            case "operation": name = reading.string(value, "a name")
            case "states": states = Self.states(value, &reading) ?? states
            default: return false
            }
            return true
        }
        if object["operation"] == nil {
            reading.missing("operation", "Say which operation must be finished first.")
        }
        return name.map { OperationSpec.AfterEdge(operation: $0, states: states) }
    }

    /// The states of an edge: a list of words, or the one word for all of them.
    private static func states(_ value: JSONValue, _ reading: inout SpecReading) -> EdgeStates? {
        let words = EdgeStates.words.map(\.rawValue)
        let all = [EdgeStates.anyWord, "finished", "ended", "all", "always"]
        if case .string(let text) = value {
            if text.hasSameBytes(as: EdgeStates.anyWord) { return .any }
            let state = words.contains(where: text.hasSameBytes) ? "[\"\(text)\"]" : nil
            reading.wrongType(
                value, "\"any\", or a list of \(SpecReading.list(words))",
                suggestion: all.contains(where: text.hasSameBytes) ? "\"any\"" : state)
            return nil
        }
        let isAny = value.array?.contains { $0.string.map { all.contains(where: $0.hasSameBytes) } ?? false }
        if isAny == true {
            reading.note(
                .conflict, "\"any\" stands for all states, in place of a list.", suggestion: "\"any\"")
            return .any
        }
        var states: Set<JobState> = []
        reading.elements(of: value) { reading, element in
            if let word = reading.word(element, of: words), let state = JobState(rawValue: word) {
                states.insert(state)
            }
        }
        if value.array?.isEmpty == true {
            reading.note(.outOfRange, "List at least one state, or leave \"states\" out.")
        }
        return states.isEmpty ? nil : EdgeStates(states)
    }

    // MARK: Kinds that are not built in

    /// The work of an operation of a kind that is not built in.
    private func customWork(
        _ type: String, _ object: JSONObject, at seat: OperationSeat, _ draft: inout OperationDraft,
        _ reading: inout SpecReading
    ) -> CustomSpec {
        let kind = reading.kinds?[type]
        var entries: [NetworkSpec.Entry] = []
        let known = Self.known(to: kind, at: seat)
        reading.members(of: object, "\(SpecReading.withArticle(type)) operation", known: known) {
            reading, name, value in
            if Self.commonMembers.contains(name) {
                return commonMember(name, value, of: &draft, at: seat, &reading)
            }
            if JobMembersReader.members.contains(name) {
                return jobMember(name, value, of: &draft, at: seat, &reading)
            }
            if name == "retry" {
                draft.retry = Self.customRetry(value, kind, &reading)
                return true
            }
            let member = kind?.members.first { $0.name == name }
            guard member != nil || kind == nil else {
                return FamiliarWords.noteMember(name, value, of: type, draft.name, &reading)
            }
            entries.append(.init(name: name, value: customMember(value, member?.form ?? .any, &reading)))
            return true
        }
        for member in kind?.members ?? [] where member.isRequired && object[member.name] == nil {
            reading.missing(
                member.name, "\(SpecReading.withArticle(type)) operation needs \(member.form.text) there.")
        }
        if let kind { Self.check(entries, of: kind, &reading) }
        return CustomSpec(type: type, members: entries)
    }

    /// Validates literal members now; members with references are validated when the operation runs.
    private static func check(
        _ entries: [NetworkSpec.Entry], of kind: OperationKind, _ reading: inout SpecReading
    ) {
        guard let check = kind.check else { return }
        var members = JSONObject()
        for entry in entries {
            guard case .literal(let value) = entry.value else { return }
            members[entry.name] = value
        }
        guard kind.members.allSatisfy({ !$0.isRequired || members[$0.name] != nil }) else { return }
        if let problem = check(members) { reading.note(problem) }
    }

    private static func known(to kind: OperationKind?, at seat: OperationSeat) -> [String] {
        guard let kind else { return [] }
        return kind.members.map(\.name) + commonMembers + (kind.mayRetry ? ["retry"] : [])
            + (seat == .root ? JobMembersReader.members : [])
    }

    /// A member of a custom kind. Bindings are checked when the operation runs.
    private func customMember(_ value: JSONValue, _ form: OperationKind.Form, _ reading: inout SpecReading)
        -> Binding
    {
        let binding = BindingReader(scope).binding(value, &reading)
        let isRight =
            switch binding {
            case .literal(let value): form.allows(value)
            case .text: form == .string || form == .any
            case .array: form == .array || form == .any
            case .object: form == .object || form == .any
            default: true
            }
        if !isRight { reading.wrongType(value, form.text) }
        return binding
    }

    private static func customRetry(_ value: JSONValue, _ kind: OperationKind?, _ reading: inout SpecReading)
        -> RetrySpec?
    {
        if let kind, !kind.mayRetry {
            reading.note(
                .notAvailable,
                "\(SpecReading.withArticle(kind.name)) operation is not tried again. Leave \"retry\" out.")
            return nil
        }
        return RetryReader.members(value, hasOwnErrors: true, &reading).rule(over: RetryMembers())
    }
}
