internal import JobJournal
package import JobKit
internal import StrictJSON

/// The stored form of a detail: one compact JSON object with the members that are known. Behind it, on lines of their
/// own, are the fields and the content of a result, which are JSON already and not read again to be shown.
extension JobDetail {
    /// The detail as it is stored.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter(capacity: 256 + sizeEstimate)
        writer.beginObject()
        if !errors.isEmpty {
            writer.name("errors")
            AOperationError.write(errors, to: &writer)
        }
        if let lastError {
            writer.name("last_error")
            lastError.write(to: &writer)
        }
        if let result {
            writer.name("result")
            result.write(to: &writer)
        }
        if isAbandoned { writer.member("abandoned", true) }
        if let hold { write(hold, to: &writer) }
        if let turn { write(turn, to: &writer) }
        if !waits.isEmpty {
            writer.name("waits")
            writer.beginArray()
            for wait in waits { wait.write(to: &writer) }
            writer.endArray()
        }
        if !operations.isEmpty {
            writer.name("operations")
            writer.beginObject()
            for state in JobState.allCases {
                if let count = operations[state] { writer.member(state.rawValue, count) }
            }
            writer.endObject()
        }
        if let call {
            writer.name("call")
            writer.beginObject()
            writer.member("method", call.method)
            writer.member("url", call.url)
            writer.endObject()
        }
        progress?.write(to: &writer)
        if untakenBytes > 0 { writer.member("untaken_bytes", untakenBytes) }
        if retries > 0 { writer.member("retries", retries) }
        Self.write(submission, to: &writer)
        writer.endObject()
        if let result, !result.headers.isEmpty || !result.inline.isEmpty {
            writer.beginLine()
            writer.raw(result.headers)
            writer.beginLine()
            writer.raw(result.inline)
        }
        return writer.bytes
    }

    private static func write(_ facts: Submission, to writer: inout JSONWriter) {
        writer.member("trace", ifKnown: facts.trace)
        writer.member("created_by", ifKnown: facts.createdBy)
    }

    /// A detail that has the facts of the submission alone, as it is stored.
    static func encoded(_ facts: Submission) -> [UInt8] {
        var writer = JSONWriter(capacity: 48 + facts.byteCount)
        writer.beginObject()
        write(facts, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// The facts of the submission in a stored detail that has nothing else; nil when it has, or must be decoded.
    static func submission(alone bytes: [UInt8]) -> Submission? {
        var facts = Submission()
        var rest = bytes[...]
        func take(_ head: StaticString) -> String? {
            let head = head.description.utf8
            guard rest.starts(with: head) else { return nil }
            let text = rest.dropFirst(head.count).prefix {
                $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
            rest = rest[text.endIndex...]
            return String(decoding: text, as: UTF8.self)
        }
        facts.trace = take(#"{"trace":""#)
        facts.createdBy = take(facts.trace == nil ? #"{"created_by":""# : #"","created_by":""#)
        return rest.elementsEqual(#""}"#.utf8) && facts != Submission() ? facts : nil
    }

    private func write(_ hold: JournalFold.HoldNote, to writer: inout JSONWriter) {
        writer.name("hold")
        writer.beginObject()
        writer.member("by", hold.by)
        if let reason = hold.reason { writer.member("reason", reason) }
        writer.member("since", hold.since.milliseconds)
        writer.endObject()
    }

    private func write(_ turn: Turn, to writer: inout JSONWriter) {
        writer.name("turn")
        writer.beginObject()
        writer.member("key", turn.key)
        writer.member("holder", turn.holder.description)
        writer.member("since", turn.since.milliseconds)
        writer.endObject()
    }

    /// The detail that was stored.
    /// - Throws: `StoredFormError` when the bytes are damaged or come from a newer program.
    package init(decoding bytes: [UInt8]) throws(StoredFormError) {
        var end = 0
        let stored = try StoredObject(decoding: bytes, as: "detail", end: &end)
        let texts = bytes[end...].dropFirst()
        let middle = texts.firstIndex(of: UInt8(ascii: "\n")) ?? texts.endIndex
        // Lists decode many details, and most have one member: each is looked at once.
        for member in stored.members.members {
            switch member.name {
            case "result":
                result = try ResultSummary(json: member.value)
                result?.headers = Array(texts[..<middle])
                result?.inline = Array(texts[middle...].dropFirst())
            case "errors": errors = try stored.array("errors").map(AOperationError.init(json:))
            case "last_error": lastError = try AOperationError(json: member.value)
            case "operations": operations = try Self.counts(member.value)
            case "waits": waits = try stored.array("waits").map(WaitingOperation.init(json:))
            case "abandoned": isAbandoned = member.value.bool ?? false
            case "hold": hold = try JournalFold.HoldNote(stored: StoredObject(member.value, as: "hold"))
            case "turn": turn = try Turn(stored: StoredObject(member.value, as: "turn"))
            case "call":
                let stored = try StoredObject(member.value, as: "call")
                call = Call(
                    method: try stored.require(try stored.string("method"), "method"),
                    url: try stored.require(try stored.string("url"), "url"))
            case "progress": progress = try JobProgress(stored: StoredObject(member.value, as: "progress"))
            case "untaken_bytes": untakenBytes = try stored.int("untaken_bytes") ?? 0
            case "retries": retries = try stored.int("retries") ?? 0
            case "trace": trace = member.value.string
            case "created_by": createdBy = member.value.string
            default: break
            }
        }
    }

    private static func counts(_ json: JSONValue) throws(StoredFormError) -> [JobState: Int] {
        var counts: [JobState: Int] = [:]
        for member in json.object?.members ?? [] {
            guard let state = JobState(rawValue: member.name), let count = member.value.number?.int64 else {
                throw StoredFormError("The stored detail counts operations that are \"\(member.name)\".")
            }
            counts[state] = Int(count)
        }
        return counts
    }
}

extension ResultSummary {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if let status { writer.member("status", status) }
        if isUnchanged { writer.member("unchanged", true) }
        if let contentType { writer.member("content_type", contentType) }
        if let contentCoding { writer.member("content_coding", contentCoding) }
        writer.member("bytes", byteCount)
        if let digest { writer.member("digest", digest) }
        if let artifact {
            writer.name("artifact")
            artifact.write(to: &writer)
        }
        writer.endObject()
    }

    fileprivate init(json: JSONValue) throws(StoredFormError) {
        guard case .object(let stored) = json else {
            throw StoredFormError("The stored result is \(json.kindName), not an object.")
        }
        self.init(byteCount: 0)
        for member in stored.members {
            switch member.name {
            case "bytes": byteCount = member.value.number?.int64.map { Int($0) } ?? 0
            case "status": status = member.value.number?.int64.map { Int($0) }
            case "content_type": contentType = member.value.string
            case "digest": digest = member.value.string
            case "content_coding": contentCoding = member.value.string
            case "unchanged": isUnchanged = member.value.bool ?? false
            case "artifact": artifact = try ArtifactReference(stored: member.value)
            default: break
            }
        }
    }
}

extension JournalFold.HoldNote {
    fileprivate init(stored: StoredObject) throws(StoredFormError) {
        self.init(
            by: try stored.require(try stored.string("by"), "by"), reason: try stored.string("reason"),
            since: try stored.require(try stored.moment("since"), "since"))
    }
}

extension JobDetail.Turn {
    fileprivate init(stored: StoredObject) throws(StoredFormError) {
        self.init(
            key: try stored.require(try stored.string("key"), "key"),
            holder: try stored.require(try stored.string("holder").flatMap { JobID($0) }, "holder"),
            since: try stored.require(try stored.moment("since"), "since"))
    }
}

extension JobDetail.WaitingOperation {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("path", path)
        if let since { writer.member("since", since.milliseconds) }
        wait.write(to: &writer)
        writer.endObject()
    }

    fileprivate init(json: JSONValue) throws(StoredFormError) {
        let stored = try StoredObject(json, as: "wait")
        self.init(
            name: try stored.require(try stored.string("name"), "name"), path: try stored.strings("path"),
            wait: try OperationWait(stored), since: try stored.moment("since"))
    }
}

extension JobProgress {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.name("progress")
        writer.beginObject()
        writer.member("done", done)
        if let total { writer.member("total", total) }
        if let unit { writer.member("unit", unit) }
        writer.endObject()
    }

    fileprivate init(stored: StoredObject) throws(StoredFormError) {
        self.init(
            done: try stored.require(try stored.whole("done"), "done"), total: try stored.whole("total"),
            unit: try stored.string("unit"))
    }
}
