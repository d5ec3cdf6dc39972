import HTTPMessage
import JobJournal
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/attempts/{number}`: one attempt.
enum ReadAttempt {
    /// Answers with an attempt of the job's only call, or of the operation in `?operation=`.
    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let wanted = query.text("operation")
        try query.finish()
        let id = try context.jobID()
        let number = Int(context.lastPathPart)
        try context.onReaderThread { reader throws(Problem) in
            let outline = try JobOutline(id, from: reader, context.server.journals)
            let spots: [JobOutline.Spot]
            if let wanted {
                spots = [try ListAttempts.select(wanted, from: outline)]
            } else {
                spots = outline.spots(.attempted, limit: 100)
            }
            guard spots.count <= 1 else {
                let path = OperationAddress.text(of: spots[0].path)
                throw Problem(
                    .attemptNotFound,
                    "The job has attempts of \(spots.count) operations\(spots.count == 100 ? " or more" : ""). "
                        + "Say which: ?operation=\(path)")
            }
            let shown = try outline.views(of: spots).filter { $0.attempt > 0 }
            guard let number, let operation = shown.first else {
                throw unknown(context.lastPathPart, shown.first)
            }
            var json = JSONWriter(capacity: 1_024)
            guard OperationBody.append(attempt: number, of: operation, to: &json) else {
                throw unknown(context.lastPathPart, operation)
            }
            context.answer(.ok, json: json.line())
        }
    }

    private static func unknown(_ number: String, _ operation: OperationView?) -> Problem {
        let made = operation?.attempt ?? 0
        return Problem(
            .attemptNotFound,
            "There is no attempt \"\(number)\"; \(made == 0 ? "none was made yet" : "they are numbered 1 to \(made)")."
        )
    }
}
