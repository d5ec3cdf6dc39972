internal import JobKit
internal import StrictJSON

/// A template as an operation: its parameters are resolved when it runs, and then its body is compiled.
package struct TemplateSpec: Sendable, Hashable {
    /// The template's name.
    package var template: String
    /// The version that was pinned when the job was submitted.
    package var version: Int64
    package var parameters: [TemplateParameter]
    package var values: [NetworkSpec.Entry]
    /// The operation that it becomes.
    package var operation: OperationSpec
}

/// The kind `template`, whose `type` may be left out.
extension TemplateSpec: BuiltInKind {
    static let name = "template"
    static let members: [any KindMember] = [templateMember, paramsMember]
    private static let templateMember = RequiredMember<TemplateDefinition>(
        name, SpecForm { definition($1, $2, &$0) },
        remedy: "Say which template it becomes.", suggestion: #""template": "resize""#)
    private static let paramsMember = OptionalMember<[NetworkSpec.Entry]>(
        "params",
        SpecForm { BindingReader($2).entries(of: $1, "an object of values by name", &$0) })

    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> TemplateSpec? {
        let values =
            object[templateMember.name] == nil ? nil : paramsMember.read(object, scope, &reading)
        guard let definition = templateMember.read(object, scope, &reading) else { return nil }
        check(values ?? [], of: definition, &reading)
        guard let operation = definition.use(in: scope, &reading) else { return nil }
        return TemplateSpec(
            template: definition.name, version: definition.version, parameters: definition.parameters,
            values: values ?? [], operation: operation)
    }

    private static func definition(
        _ value: JSONValue, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> TemplateDefinition? {
        guard let reference = reading.string(value, "the name of a template") else { return nil }
        guard let templates = reading.templates else {
            reading.note(.notAvailable, "Templates cannot be used here.")
            return nil
        }
        let name = String(Substring(reference.utf8.prefix { $0 != UInt8(ascii: "@") }))
        if scope.templates.contains(where: name.hasSameBytes) {
            let way = (scope.templates + [name]).joined(separator: " → ")
            reading.note(.dependencyCycle, "A template cannot use itself: \(way).")
            return nil
        }
        guard scope.templates.count < TemplateDefinition.depthMax else {
            reading.note(
                .tooDeep, "Templates use each other more than \(TemplateDefinition.depthMax) deep.")
            return nil
        }
        guard let definition = reading.account.templates.definition(reference, by: templates) else {
            reading.note(
                .unknownReference,
                "There is no template \"\(String(quotable: reference))\". GET /v1/templates lists them.")
            return nil
        }
        return definition
    }

    private static func check(
        _ values: [NetworkSpec.Entry], of definition: TemplateDefinition, _ reading: inout SpecReading
    ) {
        let parameters = definition.parameters
        let place = reading.pointer.appending("params")
        let known = NameIndex(parameters, by: { $0.name })
        for entry in values where !reading.isCut {
            guard let index = known.place(of: entry.name, in: parameters, by: { $0.name }) else {
                let names = parameters.map(\.name)
                reading.note(
                    at: place.appending(entry.name), .unknownMember,
                    "\(definition.name) has no parameter \"\(String(quotable: entry.name))\". "
                        + "There are: \(SpecReading.list(names)).",
                    suggestion: reading.nearest(to: entry.name, in: names))
                continue
            }
            let parameter = parameters[index]
            if case .literal(let literal) = entry.value, let complaint = parameter.complaint(about: literal) {
                reading.note(
                    at: place.appending(entry.name),
                    parameter.form.allows(literal) ? .outOfRange : .wrongType,
                    "\(entry.name) \(complaint).")
            }
        }
        let given = NameIndex(values, by: { $0.name })
        for parameter in parameters
        where !reading.isCut && parameter.isRequired && parameter.fallback == nil
            && given.place(of: parameter.name, in: values, by: { $0.name }) == nil
        {
            reading.note(
                at: place, .missingMember,
                "\(definition.name) needs the parameter \"\(parameter.name)\": \(parameter.form.text).")
        }
    }

    var inner: [OperationSpec] { [operation] }
    var planWords: [String] { ["\(template)@\(version)"] }

    /// The parameters are filled in and checked, then the operation that the template becomes is run inside.
    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        var recipe = OperationRecipe<OperationResult>(spec.name) { context in
            let parameters = try await references.attempt(in: context).evaluate {
                lookup throws(AOperationError) in
                try resolved(lookup: lookup)
            }
            let ending = try await InnerRun(compiler: compiler, context: context)
                .ending(
                    of: operation, at: .template(parameters: parameters),
                    path: references.path + [operation.name])
            return try ending.passedOn()
        }
        recipe.settings.grace = nil
        return recipe
    }

    func begun(in past: JournalFold, _ references: ReferenceReader) -> [PlacedOperation] {
        guard let parameters = try? resolved(lookup: references.lookup(StepMeter(StepMeter.viewMax))) else {
            return []
        }
        return [
            PlacedOperation(
                spec: operation, place: .template(parameters: parameters),
                path: references.path + [operation.name])
        ]
    }
}

extension TemplateSpec {
    /// The parameters with everything filled in and checked.
    /// - Throws: what `lookup` throws; `template.invalid` for a value that the template does not take.
    func resolved(lookup: Binding.Lookup) throws(AOperationError) -> TemplateArguments {
        var arguments = TemplateArguments()
        var budget = ValueBudget("What is given to \(template)")
        let given = NameIndex(values, by: { $0.name })
        for parameter in parameters {
            let place = given.place(of: parameter.name, in: values, by: { $0.name })
            let entry = place.map { values[$0] }
            let value = try entry?.value.resolve(lookup: lookup) ?? parameter.fallback
            guard let value else {
                guard parameter.isRequired else { continue }
                throw AOperationError(
                    .templateInvalid, detail: "\(template) needs the parameter \(parameter.name).")
            }
            if let complaint = parameter.complaint(about: value) {
                throw AOperationError(
                    .templateInvalid,
                    detail: "The parameter \(parameter.name) of \(template)@\(version) \(complaint).")
            }
            try budget.take(value, lookup.meter)
            arguments.add(parameter.form.handedOn(value), as: parameter.name)
        }
        return arguments
    }
}
