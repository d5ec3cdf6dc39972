internal import StrictJSON

extension TemplateDefinition {
    /// The greatest depth of templates that use each other.
    static let depthMax = 8

    /// The operation of the template, and its problems; pointers begin at the operation.
    func body(
        in scope: SpecScope, of reading: borrowing SpecReading
    ) -> (OperationSpec?, [SpecProblem]) {
        var body = SpecReading(
            limits: reading.limits, now: reading.now, kinds: reading.kinds,
            parameters: Set(parameters.map(\.name)), templates: reading.templates)
        body.operationCount = reading.operationCount
        guard case .object(let object) = operation else {
            body.wrongType(operation, "an operation, which is an object")
            return (nil, body.problems)
        }
        // The template sees nothing of its surroundings except its depth.
        var inside = SpecScope(egress: scope.egress)
        inside.depth = scope.depth
        inside.templates = scope.templates + [name]
        let operation = OperationReader(inside).read(object, at: .inner, &body)
        ReferenceResolver.noteUnknown(&body)
        return (operation, body.problems)
    }
}
