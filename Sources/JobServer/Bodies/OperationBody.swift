import JobJournal
import JobKit
import JobStore
import StrictJSON

/// The JSON of operations and their attempts.
enum OperationBody {
    /// Appends one operation.
    /// - Parameters:
    ///   - base: the prefix of links.
    ///   - extent: how much of its result and errors is shown.
    ///   - callback: its callback URL, without the URL.
    static func append(
        _ operation: OperationView, of id: JobID, base: String, _ extent: BodyExtent = .whole,
        callback: CallbackBody? = nil, to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("name", operation.name)
        json.member("operation", OperationAddress.text(of: operation.path))
        json.member("depth", operation.path.count)
        json.member("type", operation.type)
        json.member("state", operation.state.rawValue)
        json.member("attempt", operation.attempt)
        if !operation.predecessors.isEmpty {
            let outer = operation.path.dropLast()
            json.member("after", operation.predecessors.map { OperationAddress.text(of: outer + [$0]) })
        }
        if let time = operation.startedAt { json.member("started_at", time) }
        if let time = operation.finishedAt { json.member("finished_at", time) }
        if let wait = operation.wait {
            let cause = WaitCause(
                subject: .wait(wait), place: operation.path, since: operation.waitingSince, until: wait.until)
            WaitCause.write([cause], naming: false, to: &json)
        }
        if let result = operation.result { ResultBody.append(ResultSummary(result), extent, to: &json) }
        callback?.append(to: &json)
        let job = base + JobPath.text(id)
        if !operation.errors.isEmpty {
            let place = address(of: operation, in: job)
            ErrorBody.append(operation.errors, extent, of: job, wholeAt: place, to: &json)
        }
        appendLinks(of: operation, job, to: &json)
        json.endObject()
    }

    /// Appends the links to the operation and to its result. The slashes of its path are percent-encoded, so
    /// that a member named `result` is not taken for part of the address.
    private static func appendLinks(of operation: OperationView, _ job: String, to json: inout JSONWriter) {
        let address = address(of: operation, in: job)
        json.name("links")
        json.beginObject()
        json.member("self", address)
        if operation.state == .succeeded, operation.result != nil || operation.path.isEmpty {
            json.member("result", "\(address)/result")
        }
        json.endObject()
    }

    private static func address(of operation: OperationView, in job: String) -> String {
        "\(job)/operations/\(OperationAddress.segment(of: operation.path))"
    }

    /// The numbers of the attempts, in order.
    static func attempts(of operation: OperationView) -> [Int] {
        operation.attempts.map(\.number) + (operation.openAttempt.map { [$0.number] } ?? [])
    }

    /// Appends the attempt with this number and its operation. False when there is no such attempt.
    static func append(
        attempt number: Int, of operation: OperationView, to json: inout JSONWriter
    ) -> Bool {
        if let attempt = operation.attempts.first(where: { $0.number == number }) {
            attempt.writeShown(of: operation.path, to: &json)
        } else if let open = operation.openAttempt, open.number == number {
            append(open, of: operation, to: &json)
        } else {
            return false
        }
        return true
    }

    private static func append(
        _ open: OperationHistory.OpenAttempt, of operation: OperationView, to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("operation", OperationAddress.text(of: operation.path))
        json.member("number", open.number)
        // No attempt runs while the job is suspended.
        let isOver = operation.state.isResting || open.tryEndedAt != nil
        json.member("state", isOver ? "interrupted" : "running")
        json.member("started_at", open.startedAt)
        if let time = open.tryEndedAt { json.member("finished_at", time) }
        json.member("method", ifKnown: open.method)
        json.member("url", ifKnown: open.url)
        json.endObject()
    }
}
