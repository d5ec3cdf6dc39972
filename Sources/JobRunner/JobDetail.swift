package import JobJournal
package import JobKit
package import StrictJSON

/// Writes the engine's members of a job's representation: `error`, `errors`, `last_error`, `result`, `operations`,
/// `waiting_on`, `abandoned`.
package enum JobDetail {
    /// The detail of an ended job.
    /// - Parameter digest: computes the digest that is shown with a result.
    package static func final(
        _ ending: OperationEnding, operations: [JobState: Int], inlineBytesMax: Int,
        digest: (@Sendable ([UInt8]) -> String)? = nil
    ) -> [UInt8] {
        inside { writer in
            if let error = ending.errors.first {
                writer.name("error")
                error.write(to: &writer)
                writer.name("errors")
                AOperationError.write(ending.errors, to: &writer)
            }
            if let result = ending.result {
                writer.name("result")
                write(result, inlineBytesMax, digest, to: &writer)
            }
            if ending.abandoned { writer.member("abandoned", true) }
            write(operations, to: &writer)
        }
    }

    /// The detail of a suspended job.
    /// - Parameter waits: the operations that wait, of which at most 20 are shown; empty when the job resumes as soon
    ///   as a server runs.
    package static func waiting(
        lastError: AOperationError?, operations: [JobState: Int], waits: [OperationView],
        hold: JournalFold.HoldNote? = nil, progress: JobProgress? = nil
    ) -> [UInt8] {
        inside { writer in
            if let progress {
                writer.name("progress")
                progress.write(to: &writer)
            }
            if let lastError {
                writer.name("last_error")
                lastError.write(to: &writer)
            }
            if !waits.isEmpty || hold != nil {
                writer.name("waiting_on")
                writer.beginArray()
                if let hold { write(hold, to: &writer) }
                for wait in waits.prefix(20) { write(wait, to: &writer) }
                writer.endArray()
            }
            write(operations, to: &writer)
        }
    }

    /// The detail of a job that ended without a run.
    package static func error(_ error: AOperationError) -> [UInt8] {
        inside { writer in
            writer.name("error")
            error.write(to: &writer)
            writer.name("errors")
            AOperationError.write([error], to: &writer)
        }
    }

    /// The detail of a job that waits for its unique key.
    /// - Parameter holder: the job that holds the key.
    package static func behind(_ holder: JobID, withKey key: String, since: Timestamp) -> [UInt8] {
        inside { writer in
            writer.name("waiting_on")
            writer.beginArray()
            writer.beginObject()
            writer.member("kind", uniqueKind)
            writer.member("ref", key)
            writer.member(
                "detail",
                "It waits until all jobs before it with the unique key \(key) are over; \(holder) had it when this one came."
            )
            writer.member("since", since.description)
            writer.endObject()
            writer.endArray()
        }
    }

    private static let uniqueKind = "unique"

    private static func isForKey(_ wait: JSONValue) -> Bool { wait.object?["kind"]?.string == uniqueKind }

    /// The detail of a job that a person holds while it is not in flight.
    /// - Parameter detail: the detail before the hold.
    package static func held(_ hold: JournalFold.HoldNote, over detail: [UInt8]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        write(hold, to: &writer)
        writer.endArray()
        return changed(detail, waitingOn: (try? JSONParser.parse(writer.bytes))?.array ?? [])
    }

    /// The detail of a released job.
    package static func released(_ detail: [UInt8]) -> [UInt8] { changed(detail, waitingOn: []) }

    /// The detail with other waits, keeping the wait for a unique key.
    private static func changed(_ detail: [UInt8], waitingOn: [JSONValue]) -> [UInt8] {
        var members = members(of: detail)
        let waits = waitingOn + (members["waiting_on"]?.array ?? []).filter(isForKey)
        members["waiting_on"] = waits.isEmpty ? nil : .array(waits)
        return bytes(members)
    }

    /// The members of a detail; none when it is damaged.
    package static func members(of detail: [UInt8]) -> JSONObject {
        guard !detail.isEmpty else { return JSONObject() }
        let limits = JSONLimits(bytesMax: detail.count + 2)
        return (try? JSONParser.parse([0x7B] + detail + [0x7D], limits: limits))?.object ?? JSONObject()
    }

    /// A detail without some of its members.
    package static func removing(_ names: [String], from detail: [UInt8]) -> [UInt8] {
        var members = members(of: detail)
        if names.allSatisfy({ members[$0] == nil }) { return detail }
        for name in names { members[name] = nil }
        return bytes(members)
    }

    private static func bytes(_ members: JSONObject) -> [UInt8] {
        Array(JSONValue.object(members).encoded().dropFirst().dropLast())
    }

    private static func write(_ hold: JournalFold.HoldNote, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("kind", "hold")
        writer.member("ref", hold.by)
        let why = hold.reason.map { ": \($0)" } ?? ""
        writer.member("detail", "\(hold.by) holds it\(why). Release it with :release.")
        writer.member("since", hold.since.description)
        writer.endObject()
    }

    private static func write(_ wait: OperationView, to writer: inout JSONWriter) {
        guard let reason = wait.wait else { return }
        writer.beginObject()
        writer.member("kind", reason.kind)
        if let key = reason.key { writer.member("ref", key) }
        writer.member("operation", wait.path.isEmpty ? wait.name : wait.path.joined(separator: "/"))
        writer.member("detail", "\(wait.name) waits for \(reason.phrase).")
        if reason.reason == .approval, let id = reason.key { writer.member("approval", id) }
        if reason.reason == .origin, let origin = reason.key { writer.member("origin", origin) }
        if let since = wait.waitingSince { writer.member("since", since.description) }
        if let until = reason.until { writer.member("estimated_until", until.description) }
        writer.endObject()
    }

    private static func inside(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        body(&writer)
        writer.endObject()
        return Array(writer.bytes[1..<writer.bytes.count - 1])
    }

    private static func write(
        _ result: OperationResult, _ inlineBytesMax: Int, _ digest: (@Sendable ([UInt8]) -> String)?,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        if let status = result.status { writer.member("status", status) }
        if !result.headers.isEmpty {
            writer.name("headers")
            writer.beginObject()
            for (index, header) in result.headers.enumerated()
            where isFirst(header.name, at: index, in: result.headers) {
                writer.member(header.name, header.value)
            }
            writer.endObject()
        }
        if result.isUnchanged { writer.member("unchanged", true) }
        if let type = result.contentType { writer.member("content_type", type) }
        if let coding = result.contentCoding { writer.member("content_coding", coding) }
        writer.member("bytes", result.byteCount)
        if let artifact = result.artifact {
            writer.member("digest", artifact.digest)
            writer.name("artifact")
            writer.beginObject()
            if let name = artifact.name { writer.member("name", name) }
            writer.endObject()
        } else if let digest, !result.body.isEmpty {
            writer.member("digest", digest(result.body))
        }
        if !result.body.isEmpty, result.body.count <= inlineBytesMax, let value = inlineValue(of: result) {
            writer.member("inline", value)
        }
        writer.endObject()
    }

    /// Whether no field before `index` has this name. Linear, since there are usually few fields and a set would
    /// allocate.
    private static func isFirst(_ name: String, at index: Int, in headers: [OperationResult.Header]) -> Bool {
        if index > 64 { return !Set(headers[..<index].lazy.map(\.name)).contains(name) }
        return !headers[..<index].contains { $0.name == name }
    }

    /// JSON as JSON, text as a string; nil for anything else.
    private static func inlineValue(of result: OperationResult) -> JSONValue? { try? result.readBody() }

    private static func write(_ operations: [JobState: Int], to writer: inout JSONWriter) {
        guard !operations.isEmpty else { return }
        writer.name("operations")
        writer.beginObject()
        writer.member("total", operations.values.reduce(0, +))
        writer.name("by_state")
        writer.beginObject()
        for state in JobState.allCases {
            if let count = operations[state] { writer.member(state.rawValue, count) }
        }
        writer.endObject()
        writer.endObject()
    }
}

extension OperationWait {
    /// The word in `waiting_on`.
    package var kind: String {
        switch reason {
        case .delay, .retry, .repetition, .poll, .timeWindow: "time"
        case .signal: "signal"
        case .approval: "approval"
        case .grant, .reachability: "condition"
        case .exclusion: "mutex"
        case .hold: "hold"
        case .origin: "origin"
        }
    }

    /// The object of "waits for".
    package var phrase: String {
        switch reason {
        case .delay: "its delay to end"
        case .retry: "its next attempt"
        case .repetition: "its next run"
        case .poll: "its next poll"
        case .signal: "the signal \(key ?? "")"
        case .approval: "an approval"
        case .grant: "the grant \(key ?? "")"
        case .exclusion: "the exclusive key \(key ?? "")"
        case .reachability: "its next try to reach \(key ?? "its target")"
        case .timeWindow: "its time window to open"
        case .hold: "a person to release it"
        case .origin: "its origin: \(detail ?? key ?? "")"
        }
    }
}
