import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// Parses a request body as a job spec.
enum SpecBody {
    /// Parses the spec.
    /// - Parameters:
    ///   - line: the line at which the body begins, for error messages.
    ///   - limits: the limits of its values and problems.
    ///   - egress: the policy for literal addresses; a blocked one is a problem of the spec.
    ///   - kinds: the operation kinds that are not built in.
    ///   - templates: resolves the templates that the spec uses.
    /// - Throws: `.malformedJSON` or `.invalidSpec` with everything that is wrong.
    static func read(
        _ body: [UInt8], line: Int = 1, limits: SpecLimits = .standard, now: Timestamp, egress: EgressPolicy,
        kinds: OperationKinds, templates: TemplateLookup? = nil
    ) throws(Problem) -> KnownSpec {
        guard !body.isEmpty else {
            throw Problem(
                .malformedJSON,
                #"The body is empty. A job is a JSON object such as {"type": "delay", "for": "5s"}."#)
        }
        switch JobSpecReader.read(
            body, line: line, limits: limits, now: now, egress: egress, kinds: kinds,
            templates: templates)
        {
        case .success(let spec):
            if let reserved = spec.reservedLabelProblem { throw problem(SpecProblems([reserved])) }
            return KnownSpec(spec)
        case .failure(let problems): throw problem(problems)
        }
    }

    /// The value that was read.
    /// - Throws: the problem of everything that is wrong with it.
    static func checked<Value>(_ read: Result<Value, SpecProblems>) throws(Problem) -> Value {
        switch read {
        case .success(let value): return value
        case .failure(let problems): throw problem(problems)
        }
    }

    /// Combines all spec problems into one.
    static func problem(_ problems: SpecProblems) -> Problem {
        let items = problems.list.map {
            Problem.Item(
                .pointer($0.pointer.description), code: $0.code, detail: $0.detail, suggestion: $0.suggestion,
                allowed: $0.allowed)
        }
        let isMalformed = items.contains { $0.code.utf8.starts(with: "json.".utf8) }
        let first = problems.list.first?.sentence ?? "The spec has problems."
        let more = items.count > 1 ? " \(items.count - 1) more in errors." : ""
        let rest = problems.isCut ? " The rest was not read; correct these first." : ""
        return Problem(isMalformed ? .malformedJSON : .invalidSpec, first + more + rest, items: items)
    }
}
