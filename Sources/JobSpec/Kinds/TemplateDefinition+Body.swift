internal import StrictJSON

/// The operation of a template, and what it counts as at each use.
private struct ReadBody: TemplateBody {
    /// Nil when it cannot be read.
    var operation: OperationSpec?
    /// Its problem, with a pointer from the operation.
    var problem: SpecProblem?
    /// Its operations, with those of templates inside.
    var operationCount: Int
    /// Its bytes, with those of templates inside.
    var bytes: Int
}

extension TemplateDefinition {
    /// The greatest depth of templates that use each other.
    static let depthMax = 8

    /// The operation of the template, its problems, and whether there are more; pointers begin at the operation.
    /// - Parameter most: the problems that are of interest.
    func body(
        in scope: SpecScope, problemsMax most: Int, of reading: inout SpecReading
    ) -> (OperationSpec?, [SpecProblem], isCut: Bool) {
        var limits = reading.limits
        limits.problemsMax = most
        var body = SpecReading(
            limits: limits, now: reading.now, kinds: reading.kinds,
            parameters: ParameterNames(parameters.map(\.name)), templates: reading.templates)
        body.isOfHook = reading.isOfHook
        swap(&body.account, &reading.account)
        defer { swap(&body.account, &reading.account) }
        guard case .object(let object) = operation else {
            body.wrongType(operation, "an operation, which is an object")
            return (nil, body.problems, false)
        }
        // The template sees nothing of its surroundings except its depth.
        var inside = SpecScope(egress: scope.egress)
        inside.depth = scope.depth
        inside.templates = scope.templates + [name]
        let operation = OperationReader(inside).read(object, at: .inner, &body)
        ReferenceResolver.noteUnknown(&body)
        return (operation, body.problems, body.isCut)
    }

    /// The operation of the template at its place in a spec, read once for all uses there; nil when it cannot be used,
    /// which has been reported then. Its operations and bytes count at every use.
    func use(in scope: SpecScope, _ reading: inout SpecReading) -> OperationSpec? {
        let place = TemplateUses.Place(of: self, in: scope)
        let body: ReadBody
        if let known = reading.account.templates[place] as? ReadBody {
            guard spend(known.bytes, &reading) else { return nil }
            body = known
        } else {
            let before = reading.account.templates.bytes
            guard spend(byteCount(upTo: reading.limits.templateBytesMax), &reading) else { return nil }
            let (operation, problems, _) = self.body(in: scope, problemsMax: 1, of: &reading)
            body = ReadBody(
                operation: operation, problem: problems.first, operationCount: operation.map(Self.count) ?? 0,
                bytes: reading.account.templates.bytes - before)
            reading.account.templates[place] = body
        }
        if let problem = body.problem {
            reading.note(
                member: "template", .conflict,
                "\(name)@\(version) cannot be used here. At \"\(problem.pointer)\" of its operation: "
                    + problem.detail)
        }
        reading.operationCount += body.operationCount
        guard reading.operationCount <= reading.limits.operationsMax else {
            reading.note(
                member: "template", .tooManyOperations,
                "With \(name)@\(version) here the job has more than \(reading.limits.operationsMax) operations. "
                    + "Split it into several jobs.")
            return nil
        }
        return body.operation
    }

    /// Counts bytes of a use; false when there are too many. Accepted specs stay valid.
    private func spend(_ bytes: Int, _ reading: inout SpecReading) -> Bool {
        let most = reading.limits.templateBytesMax
        guard reading.kinds != nil else { return true }
        if reading.account.templates.isOver { return false }
        reading.account.templates.bytes += bytes
        if reading.account.templates.bytes <= most { return true }
        reading.account.templates.isOver = true
        reading.note(
            member: "template", .tooLarge,
            "With \(name)@\(version) here the templates of this job have more than \(most) bytes, counted at each "
                + "use. Use it for all elements of a list at once (\"map\" of a group), make it smaller, or spread "
                + "the work over several jobs.")
        return false
    }

    /// The bytes that are looked at for each use, as compact JSON; at most `most` + 1.
    private func byteCount(upTo most: Int) -> Int {
        var left = most
        left -= operation.encodedCount(upTo: left) ?? left + 1
        for parameter in parameters where left >= 0 {
            left -= parameter.name.utf8.count
            for value in parameter.choices.values where left >= 0 {
                left -= value.encodedCount(upTo: left) ?? left + 1
            }
        }
        return most - left
    }

    private static func count(_ operation: OperationSpec) -> Int {
        1 + operation.members.reduce(0) { $0 + count($1) } + (operation.copied.map(count) ?? 0)
    }
}
