public import HTTPMessage
public import StrictJSON

/// Reads templates.
public enum TemplateReader {
    /// Reads the template that `value` is: `{"parameters": {…}, "operation": {…}}`.
    /// - Parameters:
    ///   - now: the moment; dates in the operation are measured from it.
    ///   - egress: when given, URLs with an address that it forbids are problems.
    ///   - kinds: the types that are not built in.
    ///   - templates: finds the templates that its operation uses.
    /// - Returns: the template, or everything that is wrong with it.
    public static func read(
        _ value: JSONValue, name: String, version: Int64 = 0, now: Timestamp, egress: EgressPolicy? = nil,
        kinds: OperationKinds = .none, templates: @escaping TemplateLookup = { _ in nil }
    ) -> Result<TemplateDefinition, SpecProblems> {
        var reading = SpecReading(
            limits: .standard, now: now, egress: egress, kinds: kinds, templates: templates)
        let definition = reading.template(value, name: name, version: version)
        if let definition, reading.problems.isEmpty { return .success(definition) }
        return .failure(SpecProblems(reading.problems, isCut: reading.isCut))
    }

    /// A template that was accepted once; nil when the bytes are damaged.
    package static func readStored(_ bytes: [UInt8], name: String, version: Int64) -> TemplateDefinition? {
        let limits = JSONLimits(bytesMax: bytes.count, depthMax: 512)
        guard let value = try? JSONParser.parse(bytes, limits: limits) else { return nil }
        return stored(value, name: name, version: version)
    }

    static func stored(_ value: JSONValue, name: String, version: Int64) -> TemplateDefinition? {
        guard let object = value.object, let operation = object["operation"] else { return nil }
        var reading = SpecReading(
            limits: .standard, now: Timestamp(milliseconds: 0), egress: nil, kinds: nil)
        let parameters = object["parameters"].map { reading.templateParameters($0) } ?? []
        return TemplateDefinition(name: name, version: version, parameters: parameters, operation: operation)
    }
}

/// The templates that a job pinned: they stand in its stored spec, so that nothing that happens to them later changes
/// the job.
package enum PinnedTemplates {
    /// The member of a stored spec that holds them.
    package static let member = "$templates"

    /// The spec with the templates that it uses, by what it calls them.
    package static func pin(
        _ templates: [String: (definition: TemplateDefinition, body: JSONValue)], in spec: JSONValue
    ) -> JSONValue {
        guard case .object(var object) = spec, !templates.isEmpty else { return spec }
        var pinned = JSONObject()
        for (reference, template) in templates.sorted(by: { $0.key < $1.key }) {
            pinned[reference] = .object(
                JSONObject([
                    ("name", .string(template.definition.name)),
                    ("version", .number(JSONNumber(template.definition.version))),
                    ("template", template.body),
                ]))
        }
        object[member] = .object(pinned)
        return .object(object)
    }

    /// The spec without them, as it was submitted.
    package static func unpin(_ spec: JSONValue) -> JSONValue {
        guard case .object(var object) = spec else { return spec }
        object[member] = nil
        return .object(object)
    }

    /// Finds what a stored spec pinned.
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
