internal import StrictJSON

/// Finds a template by what a spec says: `resize` for the newest version, `resize@3` for that one.
public typealias TemplateLookup = @Sendable (String) -> TemplateDefinition?

/// Templates, and the operations that use them.
extension SpecReading {
    /// How deep templates may use each other.
    static let templateDepthMax = 8

    /// `{"parameters": {…}, "operation": {…}}`
    mutating func template(_ value: JSONValue, name: String, version: Int64) -> TemplateDefinition? {
        guard case .object(let object) = value else {
            wrongType(value, "an object with \"parameters\" and \"operation\"")
            return nil
        }
        members(of: object, "A template", known: ["parameters", "operation"]) { _, name, _ in
            name == "parameters" || name == "operation"
        }
        let parameters = object["parameters"].map { value in
            inside("parameters") { $0.templateParameters(value) }
        }
        guard let operation = object["operation"] else {
            missing("operation", "A template says which operation it becomes.")
            return nil
        }
        let definition = TemplateDefinition(
            name: name, version: version, parameters: parameters ?? [], operation: operation)
        let (_, problems) = body(of: definition)
        for problem in problems {
            note(
                at: pointer.appending("operation").appending(problem.pointer),
                SpecProblemCode(rawValue: problem.code) ?? .conflict, problem.detail,
                suggestion: problem.suggestion)
        }
        return definition
    }

    mutating func templateParameters(_ value: JSONValue) -> [TemplateParameter] {
        guard case .object(let object) = value else {
            wrongType(
                value, "an object of parameters by name", suggestion: #"{"width": {"type": "integer"}}"#)
            return []
        }
        return object.members.map { member in
            enter(member.name)
            defer { leave() }
            if !Self.isName(member.name) {
                note(.badName, "A parameter's name is made like that of an operation.")
            }
            return templateParameter(member.name, member.value)
        }
    }

    private mutating func templateParameter(_ name: String, _ value: JSONValue) -> TemplateParameter {
        var parameter = TemplateParameter(name: name, form: .any, isRequired: false, choices: [])
        let known = ["type", "required", "default", "enum", "minimum", "maximum", "description"]
        members(of: value, "A parameter", known: known) { reading, member, value in
            switch member {
            case "type": parameter.form = reading.word(value) ?? .any
            case "required": parameter.isRequired = reading.bool(value) ?? false
            case "default": parameter.fallback = value
            case "enum":
                if case .array(let list) = value {
                    parameter.choices = list
                } else {
                    reading.wrongType(value, "a list of values")
                }
            case "minimum": parameter.minimum = reading.bound(value)
            case "maximum": parameter.maximum = reading.bound(value)
            case "description": _ = reading.string(value, bytes: 0...1_000)
            default: return false
            }
            return true
        }
        if let fallback = parameter.fallback, let complaint = parameter.complaint(about: fallback) {
            note(member: "default", .conflict, "The default \(complaint).")
        }
        return parameter
    }

    private mutating func bound(_ value: JSONValue) -> JSONNumber? {
        if case .number(let number) = value { return number }
        wrongType(value, "a number")
        return nil
    }

    /// The operation that a template becomes, and what is wrong with it; pointers begin at the operation.
    private func body(of definition: TemplateDefinition) -> (OperationSpec?, [SpecProblem]) {
        var inner = SpecReading(
            limits: limits, now: now, egress: egress, kinds: kinds,
            parameters: Set(definition.parameters.map(\.name)), templates: templates)
        inner.templatesAround = templatesAround + [definition.name]
        inner.operationCount = operationCount
        inner.groupDepth = groupDepth
        guard case .object(let object) = definition.operation else {
            inner.wrongType(definition.operation, "an operation, which is an object")
            return (nil, inner.problems)
        }
        let operation = inner.operation(object, at: .inner)
        inner.noteUnknownReferences()
        return (operation, inner.problems)
    }

    // MARK: Wrappers

    mutating func wrapper(_ object: JSONObject) -> WrapperSpec? {
        guard let value = object["template"] else {
            missing(
                "template", "A wrapper says which template it becomes.", suggestion: #""template": "resize""#)
            return nil
        }
        let values = object["params"].map { value in
            inside("params") { $0.entries(of: value, "an object of values by name") }
        }
        guard let definition = inside("template", { $0.templateDefinition(value) }) else { return nil }
        check(values ?? [], of: definition)
        let (operation, problems) = body(of: definition)
        operationCount += operation.map(Self.count) ?? 0
        if let problem = problems.first {
            note(
                member: "template", .conflict,
                "\(definition.name)@\(definition.version) cannot be used here. At \"\(problem.pointer)\" of its "
                    + "operation: \(problem.detail)")
        }
        guard let operation else { return nil }
        return WrapperSpec(
            template: definition.name, version: definition.version, parameters: definition.parameters,
            values: values ?? [], operation: operation)
    }

    private static func count(_ operation: OperationSpec) -> Int {
        1 + operation.members.reduce(0) { $0 + count($1) } + (operation.copied.map(count) ?? 0)
    }

    private mutating func templateDefinition(_ value: JSONValue) -> TemplateDefinition? {
        guard let reference = string(value, "the name of a template") else { return nil }
        guard let templates else {
            note(.notAvailable, "Templates cannot be used here.")
            return nil
        }
        let name = String(reference.prefix { $0 != "@" })
        if templatesAround.contains(name) {
            let way = (templatesAround + [name]).joined(separator: " → ")
            note(.dependencyCycle, "A template cannot use itself: \(way).")
            return nil
        }
        guard templatesAround.count < Self.templateDepthMax else {
            note(.tooDeep, "Templates use each other more than \(Self.templateDepthMax) deep.")
            return nil
        }
        guard let definition = templates(reference) else {
            note(
                .unknownReference,
                "There is no template \"\(Self.quotable(reference))\". GET /v1/templates lists them.")
            return nil
        }
        return definition
    }

    private mutating func check(_ values: [NetworkSpec.Entry], of definition: TemplateDefinition) {
        let names = definition.parameters.map(\.name)
        for entry in values {
            guard let parameter = definition.parameters.first(where: { $0.name == entry.name }) else {
                note(
                    at: pointer.appending("params").appending(entry.name), .unknownMember,
                    "\(definition.name) has no parameter \"\(Self.quotable(entry.name))\". "
                        + "There are: \(names.joined(separator: ", ")).",
                    suggestion: SpellingSuggestion.nearest(to: entry.name, in: names))
                continue
            }
            if case .literal(let literal) = entry.value, let complaint = parameter.complaint(about: literal) {
                note(
                    at: pointer.appending("params").appending(entry.name),
                    parameter.form.allows(literal) ? .outOfRange : .wrongType,
                    "\(entry.name) \(complaint).")
            }
        }
        for parameter in definition.parameters
        where parameter.isRequired && parameter.fallback == nil
            && !values.contains(where: { $0.name == parameter.name })
        {
            note(
                at: pointer.appending("params"), .missingMember,
                "\(definition.name) needs the parameter \"\(parameter.name)\": \(parameter.form.text).")
        }
    }
}
