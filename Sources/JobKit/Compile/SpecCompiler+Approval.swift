internal import StrictJSON

extension SpecCompiler {
    /// What people are asked about before `spec` is executed, with everything filled in.
    func subject(
        of spec: OperationSpec, _ references: ReferenceReader
    ) -> ApprovalCondition.Subject {
        { context throws(AOperationError) in
            var reader = references
            reader.attempt = 1
            let lookup: Binding.Lookup = reader.value
            switch spec.kind {
            case .network, .download:
                guard let call = spec.call else { break }
                let connection = try call.connection(in: context.environment.connections)
                let request = try call.makeCall(
                    lookup: lookup, seed: context.environment.seed, path: context.core.callPath,
                    connection: connection)
                return ApprovalSubject(call: request, as: call, of: connection)
            case .custom(let work):
                var members = JSONObject()
                for entry in work.members { members[entry.name] = try entry.value.resolve(lookup: lookup) }
                return ApprovalSubject(type: work.type, path: references.path, members: members)
            default: break
            }
            return ApprovalSubject(type: spec.kind.type, path: references.path, members: nil)
        }
    }
}
