package import JobKit
package import StrictJSON

/// The stored form of journal entries: one compact JSON object each, so that a journal can be read with any tool.
///
/// `{"at": <milliseconds since 1970>, "path": […], "event": "<word>", …}`. Unknown members of newer versions are
/// ignored.
extension JournalEntry {
    package func encoded() -> [UInt8] { Self.encoded([self]) }

    /// The stored form of several entries, one per line.
    package static func encoded(_ entries: [JournalEntry]) -> [UInt8] {
        var writer = JSONWriter()
        for (index, entry) in entries.enumerated() {
            if index > 0 { writer.beginLine() }
            entry.write(to: &writer)
        }
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("at", at.milliseconds)
        writer.member("path", path)
        writer.name("event")
        event.write(to: &writer)
        writer.endObject()
    }

    /// Decodes a stored entry.
    ///
    /// - Throws: `StoredFormError` when the bytes are damaged or come from a newer program.
    package init(decoding bytes: [UInt8]) throws(StoredFormError) {
        let stored = try StoredObject(decoding: bytes, as: "journal entry")
        guard let time = try stored.moment("at") else {
            throw StoredFormError("The stored journal entry has no time.")
        }
        self.init(at: time, path: try stored.strings("path"), event: try Event(stored))
    }
}

extension JournalEntry.Event {
    private enum Word: String {
        case started
        case attemptStarted = "attempt_started"
        case attemptFinished = "attempt_finished"
        case waiting, noted, took, message
        case leftOut = "left_out"
        case approvalRequested = "approval_requested"
        case approvalExpired = "approval_expired"
        case finished
        case cancelRequested = "cancel_requested"
        case retried
    }

    /// Writes the word of the event and its members.
    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .started:
            writer.value(Word.started.rawValue)
        case .attemptStarted(let number, let method, let url):
            writer.value(Word.attemptStarted.rawValue)
            writer.member("number", number)
            writer.member("method", ifKnown: method)
            writer.member("url", ifKnown: url)
        case .attemptFinished(let record):
            writer.value(Word.attemptFinished.rawValue)
            writer.name("attempt")
            record.write(to: &writer)
        case .waiting(let wait):
            writer.value(Word.waiting.rawValue)
            wait.write(to: &writer)
        case .noted(let name, let value):
            writer.value(Word.noted.rawValue)
            writer.member("name", name)
            writer.member("value", value)
        case .took(let number, let bytes):
            writer.value(Word.took.rawValue)
            writer.member("number", number)
            if bytes > 0 { writer.member("bytes", bytes) }
        case .leftOut(let attempts, let polls):
            writer.value(Word.leftOut.rawValue)
            writer.member("attempts", attempts)
            writer.member("polls", polls)
        case .approvalRequested(let request):
            writer.value(Word.approvalRequested.rawValue)
            writer.name("approval")
            request.write(to: &writer)
        case .approvalExpired(let id, let isApproved):
            writer.value(Word.approvalExpired.rawValue)
            writer.member("id", id.description)
            writer.member("approved", isApproved)
        case .message(let message):
            writer.value(Word.message.rawValue)
            writer.name("message")
            message.write(to: &writer)
        case .finished(let ending):
            writer.value(Word.finished.rawValue)
            writer.name("ending")
            ending.write(to: &writer)
        case .cancelRequested(let by, let reason, let code):
            writer.value(Word.cancelRequested.rawValue)
            writer.member("by", by)
            writer.member("reason", ifKnown: reason)
            if code != .cancelledUser { writer.member("code", code.description) }
        case .retried(let by):
            writer.value(Word.retried.rawValue)
            writer.member("by", by)
        }
    }

    fileprivate init(_ stored: StoredObject) throws(StoredFormError) {
        let word: Word = try stored.require(try stored.word("event"), "event")
        switch word {
        case .started:
            self = .started
        case .attemptStarted:
            self = .attemptStarted(
                number: try stored.require(try stored.int("number"), "number"),
                method: try stored.string("method"), url: try stored.string("url"))
        case .attemptFinished:
            self = .attemptFinished(
                try AttemptRecord(json: try stored.require(stored.value("attempt"), "attempt")))
        case .waiting:
            self = .waiting(try OperationWait(stored))
        case .noted:
            self = .noted(
                name: try stored.require(try stored.string("name"), "name"),
                value: stored.members["value"] ?? .null)
        case .took:
            self = .took(
                message: try stored.require(try stored.int("number"), "number"),
                bytes: try stored.int("bytes") ?? 0)
        case .leftOut:
            self = .leftOut(
                attempts: try stored.require(try stored.int("attempts"), "attempts"),
                polls: try stored.require(try stored.int("polls"), "polls"))
        case .approvalRequested:
            self = .approvalRequested(
                try ApprovalRequest(json: try stored.require(stored.value("approval"), "approval")))
        case .approvalExpired:
            self = .approvalExpired(
                try stored.require(try stored.string("id").flatMap { ApprovalID($0) }, "id"),
                isApproved: try stored.require(try stored.bool("approved"), "approved"))
        case .message:
            self = .message(
                try JobMessage(json: try stored.require(stored.value("message"), "message")))
        case .finished:
            self = .finished(try OperationEnding(json: try stored.require(stored.value("ending"), "ending")))
        case .cancelRequested:
            self = .cancelRequested(
                by: try stored.require(try stored.string("by"), "by"), reason: try stored.string("reason"),
                code: try stored.string("code").map { ErrorCode($0) } ?? .cancelledUser)
        case .retried:
            self = .retried(by: try stored.require(try stored.string("by"), "by"))
        }
    }
}

extension OperationWait {
    /// Writes the members of the wait into the object that is open.
    package func write(to writer: inout JSONWriter) {
        if let until { writer.member("until", until.milliseconds) }
        writer.member("reason", reason.rawValue)
        if let key { writer.member("key", key) }
        if let detail { writer.member("detail", detail) }
    }

    /// The wait whose members are in `stored`.
    package init(_ stored: StoredObject) throws(StoredFormError) {
        self.init(
            until: try stored.moment("until"),
            reason: try stored.require(try stored.word("reason"), "reason"),
            key: try stored.string("key"), detail: try stored.string("detail"))
    }
}

extension OperationEnding {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("state", state.rawValue)
        if let result {
            writer.name("result")
            result.write(to: &writer)
        }
        if !errors.isEmpty {
            writer.name("errors")
            AOperationError.write(errors, to: &writer)
        }
        if abandoned { writer.member("abandoned", true) }
        writer.endObject()
    }

    fileprivate init(json: JSONValue) throws(StoredFormError) {
        let stored = try StoredObject(json, as: "ending")
        self.init(
            state: try stored.require(try stored.word("state"), "state"),
            result: try stored.value("result").map(OperationResult.init(stored:)),
            errors: try stored.array("errors").map { value throws(StoredFormError) in
                try AOperationError(json: value)
            },
            abandoned: try stored.bool("abandoned") ?? false)
    }
}
