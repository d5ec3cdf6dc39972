import JobKit
import JobStore
import StrictJSON

/// Reads the details of rows that were written before schema 18: the members of the job as it was shown, such as
/// `"error":{…},"waiting_on":[…]`. Rows keep that form until they are written again. Rewriting all of them when the
/// directory is opened would take a minute for a million finished jobs, of which few are ever read.
enum OlderDetail {
    /// Whether a row has the older form: the current one is an object.
    static func isOne(_ bytes: [UInt8]) -> Bool { bytes.first == UInt8(ascii: "\"") }

    /// The values in it, without damaged ones; an error when none can be read.
    /// - Parameter name: the name of the job, by which it names the job itself among its operations.
    static func read(_ bytes: [UInt8], of name: String) -> JobDetail {
        var detail = JobDetail()
        guard let stored = try? StoredObject(decoding: [0x7B] + bytes + [0x7D], as: "detail") else {
            return .damaged
        }
        func values(_ name: String) -> [JSONValue] { (try? stored.array(name)) ?? [] }
        detail.errors = values("errors").compactMap { try? AOperationError(json: $0) }
        detail.lastError = stored.value("last_error").flatMap { try? AOperationError(json: $0) }
        detail.result = (try? stored.inner("result")).flatMap(result)
        detail.isAbandoned = stored.value("abandoned")?.bool ?? false
        let counts = try? stored.inner("operations")?.inner("by_state")
        for member in counts?.members.members ?? [] {
            guard let state = JobState(rawValue: member.name), let count = member.value.number?.int64 else {
                continue
            }
            detail.operations[state] = Int(count)
        }
        if let progress = try? stored.inner("progress") { detail.progress = JobProgress(stored: progress) }
        for wait in values("waiting_on") { add(wait, of: name, to: &detail) }
        return detail
    }

    private static func result(_ stored: StoredObject) -> ResultSummary? {
        func text(_ name: String) -> String? { stored.value(name)?.string }
        let count = stored.value("bytes")?.number?.int64
        var result = ResultSummary(byteCount: count.map { Int($0) } ?? 0)
        result.status = stored.value("status")?.number?.int64.map { Int($0) }
        result.headers = stored.members["headers"]?.encoded() ?? []
        result.isUnchanged = stored.value("unchanged")?.bool ?? false
        result.contentType = text("content_type")
        result.contentCoding = text("content_coding")
        if let artifact = stored.value("artifact")?.object {
            let sha256 = String((text("digest") ?? "").dropFirst("sha256:".count))
            result.artifact = ArtifactReference(
                sha256: sha256, bytes: result.byteCount, name: artifact["name"]?.string)
        } else {
            result.digest = text("digest")
        }
        result.inline = stored.members["inline"]?.encoded() ?? []
        return result
    }

    // MARK: Waits

    private static func add(_ wait: JSONValue, of job: String, to detail: inout JobDetail) {
        guard let members = wait.object, let kind = members["kind"]?.string,
            let words = members["detail"]?.string
        else { return }
        let key = members["ref"]?.string
        let since = members["since"]?.string.flatMap { Timestamp($0) }
        if let operation = members["operation"]?.string {
            guard let split = words.firstRange(of: " waits for "),
                let (reason, more) = reason(kind, words[split.upperBound...].dropLast())
            else { return }
            let until = members["estimated_until"]?.string.flatMap { Timestamp($0) }
            detail.waits.append(
                JobDetail.WaitingOperation(
                    name: String(words[..<split.lowerBound]),
                    path: operation.hasSameBytes(as: job) ? [] : OperationAddress.path(operation),
                    wait: OperationWait(until: until, reason: reason, key: key, detail: more), since: since))
        } else if kind == "hold", let key, let since {
            let why = words.dropFirst("\(key) holds it".count).dropLast(". Release it with :release.".count)
            let reason = why.isEmpty ? nil : String(why.dropFirst(2))
            detail.hold = JournalFold.HoldNote(by: key, reason: reason, since: since)
        } else if kind == "unique", let key, let since {
            let before = words.dropLast(" had it when this one came.".count)
            guard let holder = before.split(separator: " ").last.flatMap({ JobID($0) }) else { return }
            detail.turn = JobDetail.Turn(key: key, holder: holder, since: since)
        }
    }

    /// The reason and the key of a wait, from its kind and the text after "waits for".
    private static func reason(_ kind: String, _ words: Substring) -> (OperationWait.Reason, String?)? {
        switch kind {
        case "signal": return (.signal, nil)
        case "approval": return (.approval, nil)
        case "mutex": return (.exclusion, nil)
        case "hold": return (.hold, nil)
        case "condition": return (words.hasPrefix("the grant ") ? .grant : .reachability, nil)
        case "origin": return (.origin, String(words.dropFirst("its origin: ".count)))
        case "time": return times[words].map { ($0, nil) }
        default: return nil
        }
    }

    private static let times: [Substring: OperationWait.Reason] = [
        "its delay to end": .delay, "its next attempt": .retry, "its next run": .repetition,
        "its next poll": .poll, "its time window to open": .timeWindow,
    ]
}

extension JobProgress {
    fileprivate init?(stored: StoredObject) {
        guard let done = stored.value("done")?.number?.int64 else { return nil }
        self.init(
            done: done, total: stored.value("total")?.number?.int64, unit: stored.value("unit")?.string)
    }
}
