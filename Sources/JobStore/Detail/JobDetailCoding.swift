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
        submission.write(to: &writer)
        writer.endObject()
        if let result, !result.headers.isEmpty || !result.inline.isEmpty {
            writer.beginLine()
            writer.raw(result.headers)
            writer.beginLine()
            writer.raw(result.inline)
        }
        return writer.bytes
    }

    /// A detail that has the facts of the submission alone, as it is stored.
    static func encoded(_ facts: Submission) -> [UInt8] {
        var writer = JSONWriter(capacity: 48 + facts.byteCount)
        writer.beginObject()
        facts.write(to: &writer)
        writer.endObject()
        return writer.bytes
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
        do { try read(bytes) } catch {
            throw error as? StoredFormError
                ?? StoredFormError(
                    "The stored detail is not JSON: \((error as? JSONParseError)?.detail ?? "")")
        }
    }

    /// Lists decode many details, and most have a result and a call: those are read without values of their members.
    private mutating func read(_ bytes: [UInt8]) throws {
        var cursor = JSONCursor(bytes)
        try cursor.enter()
        while let name = try cursor.nextName() {
            switch name {
            case "result": result = try ResultSummary(&cursor)
            case "call": call = try Call(&cursor)
            default: try read(name, try cursor.value())
            }
        }
        guard cursor.offset == bytes.count || bytes[cursor.offset] == UInt8(ascii: "\n") else {
            throw StoredFormError("The first line of the stored detail goes on behind its object.")
        }
        if result == nil { return }
        let texts = bytes[cursor.offset...].dropFirst()
        let middle = texts.firstIndex(of: UInt8(ascii: "\n")) ?? texts.endIndex
        result?.headers = Array(texts[..<middle])
        result?.inline = Array(texts[middle...].dropFirst())
    }

    private mutating func read(_ name: String, _ value: JSONValue) throws(StoredFormError) {
        let stored = try StoredObject(
            .object(JSONObject(uniqueMembers: [.init(name: name, value: value)])), as: "detail")
        switch name {
        case "errors": errors = try stored.array(name).map(AOperationError.init(json:))
        case "last_error": lastError = try AOperationError(json: value)
        case "operations": operations = try Self.counts(value)
        case "waits": waits = try stored.array(name).map(WaitingOperation.init(json:))
        case "abandoned": isAbandoned = value.bool ?? false
        case "hold": hold = try JournalFold.HoldNote(stored: StoredObject(value, as: name))
        case "turn": turn = try Turn(stored: StoredObject(value, as: name))
        case "progress": progress = try JobProgress(stored: StoredObject(value, as: name))
        case "untaken_bytes": untakenBytes = try stored.int(name) ?? 0
        case "retries": retries = try stored.int(name) ?? 0
        default: submission.read(name, value)
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

    fileprivate init(_ cursor: inout JSONCursor) throws {
        self.init(byteCount: 0)
        try cursor.enter()
        while let name = try cursor.nextName() {
            switch name {
            case "bytes": byteCount = try cursor.whole() ?? 0
            case "status": status = try cursor.whole()
            case "content_type": contentType = try cursor.string()
            case "digest": digest = try cursor.string()
            case "content_coding": contentCoding = try cursor.string()
            case "unchanged": isUnchanged = try cursor.value().bool ?? false
            case "artifact": artifact = try ArtifactReference(stored: try cursor.value())
            default: _ = try cursor.value()
            }
        }
    }
}

extension JobDetail.Call {
    fileprivate init(_ cursor: inout JSONCursor) throws {
        var (method, url) = (String?.none, String?.none)
        try cursor.enter()
        while let name = try cursor.nextName() {
            switch name {
            case "method": method = try cursor.string()
            case "url": url = try cursor.string()
            default: _ = try cursor.value()
            }
        }
        guard let method, let url else {
            throw StoredFormError("The stored call lacks its method or its URL.")
        }
        self.init(method: method, url: url)
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
