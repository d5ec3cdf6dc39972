internal import JobKit

extension NetworkSpec {
    /// Calls `visit` for each value that is sent.
    func visitSent(_ visit: (Binding) -> Void) {
        for entry in headers + query + vars { visit(entry.value) }
        switch body {
        case .json(let binding), .text(let binding): visit(binding)
        case .form(let entries): for entry in entries { visit(entry.value) }
        case .multipart(let form):
            for part in form.parts {
                if let name = part.filename { visit(name) }
                switch part.content {
                case .text(let binding), .json(let binding): visit(binding)
                case .base64, .artifact: break
                }
            }
        case .base64, .artifact, nil: break
        }
        for binding in auth.credentials?.values ?? [] { visit(binding) }
    }

    /// Calls `visit` for each reference in what is sent and in the settings of its way.
    func visitReferences(_ visit: (Binding.Reference) -> Void) {
        visitSent { $0.visitReferences(visit) }
        for binding in [tls.clientCertificate, tls.clientKey, proxy?.username, proxy?.password] {
            binding?.visitReferences(visit)
        }
    }
}

extension Binding {
    /// Calls `visit` for each reference in it.
    func visitReferences(_ visit: (Reference) -> Void) {
        switch self {
        case .literal: break
        case .get(let reference): visit(reference)
        case .text(_, let vars): for entry in vars { entry.value.visitReferences(visit) }
        case .array(let parts): for part in parts { part.visitReferences(visit) }
        case .object(let entries): for entry in entries { entry.value.visitReferences(visit) }
        }
    }
}

extension OperationSpec {
    /// Whether the call or the value of an operation in it, which always runs, takes something of the run before
    /// without a default.
    var needsPrevious: Bool {
        if when != nil || !conditions.isEmpty { return false }
        var isFound = false
        let visit = { (reference: Binding.Reference) in
            if case .previous(nil) = reference.source, reference.fallback == nil { isFound = true }
        }
        call?.visitReferences(visit)
        if call == nil { kind.work.statedValue?.visitReferences(visit) }
        return isFound
            || members.contains { $0.after.allSatisfy { $0.states == .succeeded } && $0.needsPrevious }
    }
}
