package import HTTPMessage
package import JobKit
package import StrictJSON

package enum TemplateReader {
    /// Reads the template that `value` is: `{"parameters": {…}, "operation": {…}}`.
    /// - Parameters:
    ///   - now: the moment; dates in the operation are measured from it.
    ///   - egress: when given, URLs with an address that it forbids are problems.
    ///   - kinds: the types that are not built in.
    ///   - templates: finds the templates that its operation uses.
    /// - Returns: the template, or everything that is wrong with it.
    package static func read(
        _ value: JSONValue, name: String, version: Int64 = 0, now: Timestamp, egress: EgressPolicy? = nil,
        kinds: OperationKinds = .none, templates: @escaping TemplateLookup = { _ in nil }
    ) -> Result<TemplateDefinition, SpecProblems> {
        var reading = SpecReading(
            limits: .standard, now: now, kinds: kinds, templates: templates)
        let definition = definition(value, SpecScope(egress: egress), name: name, version: version, &reading)
        if let definition, reading.problems.isEmpty { return .success(definition) }
        return .failure(SpecProblems(reading.problems, isCut: reading.isCut))
    }

    /// Reads a stored template; nil when the bytes are damaged.
    package static func readStored(_ bytes: [UInt8], name: String, version: Int64) -> TemplateDefinition? {
        guard let value = try? JSONParser.parse(bytes, limits: storedLimits(bytes)) else { return nil }
        return stored(value, name: name, version: version)
    }

    /// The limits of a template that was accepted once.
    package static func storedLimits(_ bytes: [UInt8]) -> JSONLimits {
        JSONLimits(bytesMax: bytes.count, depthMax: 512)
    }

    /// The stored template that `value` is; nil when it is damaged.
    package static func stored(_ value: JSONValue, name: String, version: Int64) -> TemplateDefinition? {
        guard let object = value.object, let operation = object["operation"] else { return nil }
        var reading = SpecReading(
            limits: .standard, now: Timestamp(milliseconds: 0), kinds: nil)
        let parameters = object["parameters"].map { Self.parameters($0, &reading) } ?? []
        return TemplateDefinition(name: name, version: version, parameters: parameters, operation: operation)
    }

    /// `{"parameters": {…}, "operation": {…}}`
    private static func definition(
        _ value: JSONValue, _ scope: SpecScope, name: String, version: Int64, _ reading: inout SpecReading
    ) -> TemplateDefinition? {
        guard case .object(let object) = value else {
            reading.wrongType(value, "an object with \"parameters\" and \"operation\"")
            return nil
        }
        reading.members(of: object, "A template", known: ["parameters", "operation"]) { _, name, _ in
            name == "parameters" || name == "operation"
        }
        let parameters = object["parameters"].map { value in
            reading.inside("parameters") { Self.parameters(value, &$0) }
        }
        guard let operation = object["operation"] else {
            reading.missing("operation", "A template says which operation it becomes.")
            return nil
        }
        let definition = TemplateDefinition(
            name: name, version: version, parameters: parameters ?? [], operation: operation)
        let most = reading.limits.problemsMax
        let (_, problems, isCut) = definition.body(in: scope, problemsMax: most, of: &reading)
        for problem in problems {
            reading.note(
                at: reading.pointer.appending("operation").appending(problem.pointer),
                SpecProblemCode(rawValue: problem.code) ?? .conflict, problem.detail,
                suggestion: problem.suggestion, allowed: problem.allowed)
        }
        if isCut { reading.noteMore() }
        return definition
    }

    private static func parameters(_ value: JSONValue, _ reading: inout SpecReading) -> [TemplateParameter] {
        guard case .object(let object) = value else {
            reading.wrongType(
                value, "an object of parameters by name", suggestion: #"{"width": {"type": "integer"}}"#)
            return []
        }
        var parameters: [TemplateParameter] = []
        for member in object.members where !reading.isCut {
            reading.enter(member.name)
            if !SpecReading.isName(member.name) {
                reading.note(.badName, "A parameter is named by the rules for operations.")
            }
            parameters.append(parameter(member.name, member.value, &reading))
            reading.leave()
        }
        return parameters
    }

    private static func parameter(_ name: String, _ value: JSONValue, _ reading: inout SpecReading)
        -> TemplateParameter
    {
        var parameter = TemplateParameter(name: name, form: .any, isRequired: false, choices: ValueList([]))
        let known = ["type", "required", "default", "enum", "minimum", "maximum", "description"]
        reading.members(of: value, "A parameter", known: known) { reading, member, value in
            switch member {
            case "type": parameter.form = reading.word(value) ?? .any
            case "required": parameter.isRequired = reading.bool(value) ?? false
            case "default": parameter.fallback = value
            case "enum":
                if case .array(let list) = value {
                    parameter.choices = ValueList(list)
                } else {
                    reading.wrongType(value, "a list of values")
                }
            case "minimum": parameter.minimum = bound(value, &reading)
            case "maximum": parameter.maximum = bound(value, &reading)
            case "description": _ = reading.string(value, bytes: 0...1_000)
            default: return false
            }
            return true
        }
        if let fallback = parameter.fallback, let complaint = parameter.complaint(about: fallback) {
            reading.note(member: "default", .conflict, "The default \(complaint).")
        }
        return parameter
    }

    private static func bound(_ value: JSONValue, _ reading: inout SpecReading) -> JSONNumber? {
        if case .number(let number) = value { return number }
        reading.wrongType(value, "a number")
        return nil
    }
}

/// The templates pinned by a job: they are in its stored spec, so that later changes to them do not affect the job.
package enum PinnedTemplates {
    /// The member of a stored spec that holds them.
    package static let member = "$templates"

    /// The spec with its templates, by the names in it.
    package static func pin(
        _ templates: [ByteKey: (definition: TemplateDefinition, body: JSONValue)], in spec: JSONValue
    ) -> JSONValue {
        guard case .object(var object) = spec, !templates.isEmpty else { return spec }
        let sorted = templates.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
        let pinned = sorted.map { reference, template in
            JSONObject.Member(
                name: reference.text,
                value: .object(
                    JSONObject([
                        ("name", .string(template.definition.name)),
                        ("version", .number(JSONNumber(template.definition.version))),
                        ("template", template.body),
                    ])))
        }
        object[member] = .object(JSONObject(uniqueMembers: pinned))
        return .object(object)
    }

    /// Looks up the templates pinned by a stored spec.
    static func lookup(in spec: JSONValue) -> TemplateLookup? {
        guard let pinned = spec.object?[member]?.object else { return nil }
        return { reference in
            guard let entry = pinned[reference]?.object, let name = entry["name"]?.string,
                let version = entry["version"]?.number?.int64, let body = entry["template"]
            else { return nil }
            return TemplateReader.stored(body, name: name, version: version)
        }
    }
}
