import HTTPMessage
import JobJournal
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/operations/{path}` and `…/result`: one operation of a job, including list elements and
/// repetitions, whatever the state of the enclosing operation.
enum ReadOperation {
    static func view(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        try find(context) { outline, view, _ throws(Problem) in
            var json = JSONWriter(capacity: 1_024)
            var callback: CallbackBody?
            if outline.hasCallback(at: view.path) { callback = try stored(outline.callback(at: view.path)) }
            OperationBody.append(
                view, of: outline.job.id, base: context.base, callback: callback, to: &json)
            context.answer(.ok, json: json.line())
        }
    }

    /// Answers with the result as raw bytes with its content type: 202 with the operation while it is unfinished, 404
    /// with its error when there is no result.
    static func result(_ context: RequestContext) throws(Problem) {
        let live = try LiveResult(context)
        try find(context) { outline, view, reader throws(Problem) in
            let id = outline.job.id
            if let live {
                return context.onLoop { () throws(Problem) in
                    try live.answer(of: id, at: view.path) { unfinished(context, view, of: id) }
                }
            }
            guard view.state.isFinal else { return unfinished(context, view, of: id) }
            let found = try view.path.isEmpty ? rootResult(outline.job, reader) : view.result
            guard let result = found, view.state == .succeeded else { throw noResult(of: view, outline.job) }
            try ContentAnswer(result, in: context).send(context)
        }
    }

    private static func unfinished(_ context: RequestContext, _ view: OperationView, of id: JobID) {
        var json = JSONWriter(capacity: 1_024)
        OperationBody.append(view, of: id, base: context.base, to: &json)
        var fields = HTTPFields()
        fields.add("Retry-After", "1")
        context.answer(.accepted, fields, json: json.line())
    }

    /// The problem of an operation that ended without a result.
    static func noResult(of view: OperationView, _ job: JobRecord) -> Problem {
        let subject = view.path.isEmpty ? "job" : "operation \(OperationAddress.text(of: view.path))"
        let problem = Problem(
            .jobHasNoResult,
            "The \(subject) ended as \(view.state.rawValue) and has no result; error says why.")
        return error(of: view, job).map { problem.member("error", ErrorBody.bytes($0)) } ?? problem
    }

    private static func find(
        _ context: RequestContext,
        _ answer: @escaping @Sendable (JobOutline, OperationView, any JobReader) throws(Problem) -> Void
    ) throws(Problem) {
        let id = try context.jobID()
        let raw = context.route.pattern.second(in: context.path) ?? []
        let text = PercentCoding.decode(String(decoding: raw, as: UTF8.self)) ?? ""
        try context.onReaderThread { reader throws(Problem) in
            let outline = try JobOutline(id, from: reader, context.server.journals)
            guard let spot = outline.spot(named: text), let view = try outline.views(of: [spot]).first else {
                throw Problem(
                    .operationNotFound,
                    "Job \(id) has no operation \"\(text)\"."
                        + (outline.meant(by: text).map { " Did you mean \($0)?" } ?? "")
                        + " \(JobPath.text(id))/operations lists those there are.")
            }
            try answer(outline, view, reader)
        }
    }

    private static func rootResult(
        _ job: JobRecord, _ reader: any JobReader
    ) throws(Problem) -> OperationResult? {
        try stored(reader.result(job.id))
    }

    /// Its error. That of the root is what the job says, which counts for one that was stopped while it was suspended,
    /// too.
    private static func error(of view: OperationView, _ job: JobRecord) -> AOperationError? {
        (view.path.isEmpty ? job.detail.values.errors.first : nil) ?? view.errors.first
    }
}
