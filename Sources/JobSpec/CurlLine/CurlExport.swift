internal import JobKit
internal import StrictJSON

/// A job as a script of curl command lines: one per call, in the order of the spec. Values known only at run time are
/// variables; operations other than calls are comments.
package struct CurlExport {
    private var text = ""
    private let seed: String
    private var number = 0

    /// The script of a job.
    /// - Parameter seed: the job's id, from which automatic idempotency keys are derived.
    package static func script(for spec: JobSpec, seed: String) -> String {
        var export = CurlExport(seed: seed)
        if spec.operation.call != nil {
            export.add(spec.operation, path: [])
        } else {
            export.comment("\(spec.operation.name): \(spec.operation.kind.type)")
            export.add(spec.operation, path: [])
        }
        for callback in spec.callbacks {
            let ends = CallbackSpec.ends.filter(callback.states.contains).map(\.rawValue).joined(
                separator: ", ")
            export.comment("told when it is \(ends): \(callback.call.method) \(callback.call.url)")
        }
        return export.text
    }

    private init(seed: String) { self.seed = seed }

    private mutating func add(_ operation: OperationSpec, path: [String]) {
        if let call = operation.call {
            add(call, of: operation, path: path)
        } else if !path.isEmpty {
            comment("\(path.joined(separator: "/")): \(operation.kind.type)\(Self.edges(of: operation))")
        }
        for member in operation.members { add(member, path: path + [member.name]) }
        if let copied = operation.copied {
            comment("for each run of \(path.last ?? operation.name):")
            add(copied, path: path + ["1"])
        }
    }

    private mutating func add(_ call: NetworkSpec, of operation: OperationSpec, path: [String]) {
        let unknown = UnknownValues()
        if !path.isEmpty {
            number += 1
            text += text.isEmpty || text.hasSuffix("\n\n") ? "" : "\n"
            comment("\(number). \(path.joined(separator: "/"))\(Self.edges(of: operation))")
        }
        do throws(AOperationError) {
            var line = try CurlLine(call, retry: operation.retry, unknown: unknown, seed: seed, path: path)
            for (name, reference) in unknown.found {
                comment("$\(name): \(Self.words(reference))")
            }
            if operation.kind.work.keepsContentInFile {
                try line.keep(in: call.target.name(at: path, operation.name))
            }
            for remark in line.remarks { comment(remark) }
            text += line.text
        } catch {
            comment("This call cannot be written as a line: \(error.detail)")
        }
    }

    private mutating func comment(_ line: String) { text += "# \(ShellText.comment(line))\n" }

    private static func edges(of operation: OperationSpec) -> String {
        operation.after.isEmpty ? "" : ", after \(operation.after.map(\.operation).joined(separator: ", "))"
    }

    private static func words(_ reference: Binding.Reference) -> String {
        switch reference.source {
        case .operation(let name) where reference.at == ContentReference.content: "the content of \(name)"
        case .operation(let name) where reference.at == ContentReference.contentType: "its type, of \(name)"
        case .operation(let name): "\(reference.at) of the result of \(name)"
        case .item: "\(reference.at) of the element at hand".trimmingRoot
        case .previous: "\(reference.at) of the result of the run before"
        case .hook: "\(reference.at) of the delivery"
        case .parameter(let name): "the parameter \(name)"
        case .job(let fact): "\(fact.rawValue) of the job"
        case .secret(let name): "the secret \(name)"
        case .callback(let name): "the callback URL of \(name)"
        }
    }
}

extension String {
    /// Without the leading ` of ` of an empty pointer.
    fileprivate var trimmingRoot: String { hasPrefix(" of ") ? String(dropFirst(4)) : self }
}
