internal import StrictJSON

/// What a group says besides its members: when it succeeds, what comes at its end, and members made from a list.
extension SpecReading {
    private enum CompletionWord: String, CaseIterable { case all, any }

    /// `succeed_when` and `cancel_rest`.
    mutating func readRules(_ object: JSONObject, of group: inout GroupSpec) {
        if let value = object["succeed_when"] {
            inside("succeed_when") { reading in
                if let rule = reading.completion(value, object) { group.completion = GroupCompletion(rule) }
            }
        }
        guard let value = object["cancel_rest"] else { return }
        group.completion.cancelsRest = inside("cancel_rest") { $0.bool(value) } ?? false
        switch group.completion.rule {
        case .any, .atLeast: break
        case .all, .tolerate:
            note(
                member: "cancel_rest", .conflict,
                "\"cancel_rest\" goes with a \"succeed_when\" that some members are enough for.",
                suggestion: #""succeed_when": "any""#)
        }
    }

    private mutating func completion(_ value: JSONValue, _ group: JSONObject) -> GroupCompletion.Rule? {
        guard case .object(let object) = value else {
            return word(value, CompletionWord.self).map { $0 == .all ? .all : .any }
        }
        var rule: GroupCompletion.Rule?
        members(of: object, "succeed_when", known: ["at_least", "tolerate"]) { reading, name, value in
            switch name {
            case "at_least":
                let most = group["operations"]?.array?.count ?? EachSpec.itemsMax
                rule = reading.int(value, in: 1...max(1, most)).map(GroupCompletion.Rule.atLeast)
            case "tolerate": rule = reading.tolerance(value)
            default: return false
            }
            return true
        }
        if object.count > 1 { note(.conflict, "Say \"at_least\" or \"tolerate\", not both.") }
        if object.isEmpty {
            missing(
                "at_least", "Say how many must succeed, or how many may fail.", suggestion: #""at_least": 1"#)
        }
        return rule
    }

    private mutating func tolerance(_ value: JSONValue) -> GroupCompletion.Rule? {
        var count: Int?
        var percent: Double?
        members(of: value, "tolerate", known: ["count", "percent"]) { reading, name, value in
            switch name {
            case "count": count = reading.int(value, in: 0...EachSpec.itemsMax)
            case "percent": percent = reading.percent(value)
            default: return false
            }
            return true
        }
        if value.object?.isEmpty == true {
            missing("count", "Say how many failures are let pass.", suggestion: #""count": 1"#)
        }
        return .tolerate(count: count, percent: percent)
    }

    private mutating func percent(_ value: JSONValue) -> Double? {
        guard case .number(let number) = value else {
            wrongType(value, "a number")
            return nil
        }
        guard let percent = number.double, percent >= 0, percent <= 100 else {
            note(.outOfRange, "The share is 0 to 100 percent.")
            return nil
        }
        return percent
    }

    // MARK: A list

    /// `map`: one member for each element.
    mutating func each(_ value: JSONValue, _ group: inout GroupSpec) -> EachSpec? {
        guard case .object(let object) = value else {
            wrongType(
                value, "an object",
                suggestion: #"{"items": [1, 2, 3], "operation": {"type": "delay", "for": "1s"}}"#)
            return nil
        }
        let known = ["items", "as", "operation", "concurrency", "max_items"]
        members(of: object, "map", known: known) { _, name, _ in known.contains(name) }
        guard let items = object["items"] else {
            missing(
                "items", "Say for which elements.",
                suggestion: #""items": {"$get": "list", "at": "/body/items"}"#)
            return nil
        }
        let list = inside("items") { $0.binding(items) }
        let name = object["as"].flatMap { value in inside("as") { $0.name(value) } } ?? "item"
        readConcurrency(object, of: &group)
        self.items.append(name)
        defer { self.items.removeLast() }
        guard let operation = inner(object, "Say what is done with each element.") else { return nil }
        var each = EachSpec(items: list, operation: operation)
        each.name = name
        if let value = object["max_items"] {
            each.itemsMax =
                inside("max_items") { $0.int(value, in: 1...EachSpec.itemsMax) } ?? EachSpec.itemsMax
        }
        if case .literal(let literal) = list {
            inside("items") { $0.checkList(literal, atMost: each.itemsMax) }
        }
        checkCount(each.writtenCount, of: each.operation)
        return each
    }

    /// What is written makes no more operations than a job may have. What is inside says so for itself.
    mutating func checkCount(_ count: Int, of operation: OperationSpec) {
        let most = RunLimits.standard.operationsMax
        guard count > most, operation.writtenCount <= most else { return }
        note(
            .tooLarge,
            "This alone makes \(count) operations, with all that is inside; a job may have \(most). "
                + "Shorten the lists, or spread the work over several jobs.")
    }

    private mutating func checkList(_ literal: JSONValue, atMost most: Int) {
        guard let elements = literal.array else {
            return wrongType(literal, "a list, or a binding that gives one")
        }
        if elements.count > most {
            note(.tooLarge, "The list has \(elements.count) elements; allowed are \(most).")
        }
    }

    private mutating func readConcurrency(_ object: JSONObject, of group: inout GroupSpec) {
        guard let value = object["concurrency"] else { return }
        if group.concurrency != nil {
            note(member: "concurrency", .conflict, "The group says \"concurrency\", too. Leave one out.")
        }
        group.concurrency = inside("concurrency") { $0.int(value, in: 1...10_000) }
    }

    // MARK: The end

    /// `finally`: what these take from the members needs no edges, since all of them are over by then.
    mutating func readFinals(
        _ value: JSONValue, of group: inout GroupSpec, _ names: SiblingNames, firstReference: Int
    ) {
        guard case .array(let elements) = value else { return wrongType(value, "a list of operations") }
        if elements.isEmpty { note(.outOfRange, "List at least one operation, or leave \"finally\" out.") }
        let mark = references.count
        var finals = GroupSpec(operations: [])
        var finalNames = SiblingNames()
        readMembers(elements, of: &finals, &finalNames, taken: names)
        for operation in finals.operations where names.position(of: operation.name) != nil {
            note(
                .duplicateName,
                "\"\(operation.name)\" is the name of an operation of the group, too. Rename one of them.")
        }
        group.finals = finals.operations
        var left: [PendingReference] = []
        for var reference in references[mark...] {
            let steps = reference.operation.split(separator: "/", omittingEmptySubsequences: false).map(
                String.init)
            guard let target = names.position(of: steps.first ?? "") else {
                reference.visible += names.all
                left.append(reference)
                continue
            }
            check(reference, Array(steps.dropFirst()), in: group.operations[target])
        }
        references.removeSubrange(mark...)
        references += left
    }
}
