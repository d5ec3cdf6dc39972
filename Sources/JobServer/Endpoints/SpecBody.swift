import DurableJobs
import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// Parses a request body as a job spec.
enum SpecBody {
    /// Reads the spec of a new job.
    /// - Parameters:
    ///   - templates: those of the submission.
    ///   - line: the line at which the body begins, for error messages.
    ///   - limits: the limits of its values and problems.
    /// - Throws: `.malformedJSON` or `.invalidSpec` with everything that is wrong.
    static func accept(
        _ body: [UInt8], _ intake: Intake, _ templates: TemplateBook, line: Int, limits: SpecLimits,
        now: Timestamp
    ) throws(Problem) -> AcceptedSpec {
        guard !body.isEmpty else {
            throw Problem(
                .malformedJSON,
                #"The body is empty. A job is a JSON object such as {"type": "delay", "for": "5s"}."#)
        }
        return try taken { () throws(Intake.Refusal) in
            try intake.read(body, line: line, limits: limits, with: templates, now: now)
        }
    }

    /// The value that the intake read.
    /// - Throws: the problem of everything that is wrong with it.
    static func taken<Value>(_ read: () throws(Intake.Refusal) -> Value) throws(Problem) -> Value {
        do throws(Intake.Refusal) { return try read() } catch { throw Problem(error) }
    }

    /// The value that was read.
    /// - Throws: the problem of everything that is wrong with it.
    static func checked<Value>(_ read: Result<Value, SpecProblems>) throws(Problem) -> Value {
        switch read {
        case .success(let value): return value
        case .failure(let problems): throw problem(problems)
        }
    }

    /// Combines all problems of a spec into one.
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

extension Problem {
    /// The problem of a spec that was not read.
    init(_ refusal: Intake.Refusal) {
        switch refusal {
        case .problems(let problems): self = SpecBody.problem(problems)
        case .store(let error): self.init(error)
        }
    }
}
