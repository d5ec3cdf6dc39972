public import StrictJSON

/// The JSON form of an error. Members without a value are left out, and so is `publisher` where it is the operation.
///
/// In a journal `path` has all names, the job's first, so that an error is read as it was; in answers and in what
/// references see, `operation` is the address in the job, as everywhere.
extension AOperationError {
    private enum Form {
        case complete
        /// The address of the whole error, when this is a part of it.
        case shown(wholeAt: String?)
    }

    /// Writes the error as one JSON object, from which `init(json:)` reads it.
    public func write(to writer: inout JSONWriter) { write(.complete, to: &writer) }

    /// Writes the error as clients and references see it.
    /// - Parameter address: where the whole error is read, when this is a part of it.
    package func writeShown(wholeAt address: String? = nil, to writer: inout JSONWriter) {
        write(.shown(wholeAt: address), to: &writer)
    }

    private func write(_ form: Form, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("code", code.description)
        writer.member("title", title)
        writer.member("detail", detail)
        writer.member("stage", stage.rawValue)
        if let publisher, path.isEmpty || !publisher.hasSameBytes(as: path[path.count - 1]) {
            writer.member("publisher", publisher)
        }
        if !path.isEmpty {
            switch form {
            case .complete: writer.member("path", path)
            case .shown: writer.member("operation", OperationAddress.text(of: path.dropFirst()))
            }
        }
        writer.member("attempt", ifKnown: attempt)
        writer.member("at", ifKnown: at)
        if let publishedError {
            writer.name("published_error")
            publishedError.write(to: &writer)
        }
        writer.member("phase", ifKnown: phase)
        writer.member("delivery", ifKnown: delivery)
        writer.member("retryable", retryable)
        writer.member("retry_stopped_by", ifKnown: retryStoppedBy)
        if let upstream {
            writer.name("upstream")
            upstream.write(to: &writer)
        }
        if let timing, !timing.isEmpty { writer.member("timing_ms", ifKnown: timing) }
        if !causes.isEmpty {
            writer.name("causes")
            writer.beginArray()
            for cause in causes {
                if case .complete = form { cause.write(to: &writer) } else { cause.writeShown(to: &writer) }
            }
            writer.endArray()
        }
        if bytesOmitted > 0 {
            writer.name("omitted")
            writer.beginObject()
            writer.member("bytes", bytesOmitted)
            if case .shown(let address?) = form { writer.member("link", address) }
            writer.endObject()
        }
        writer.endObject()
    }

    /// Decodes an error in the form of `write(to:)`; members that are not known are passed over.
    ///
    /// - Throws: `StoredFormError` when `code`, `title` or `detail` is missing or a member has another type.
    public init(json: JSONValue) throws(StoredFormError) {
        let stored = try StoredObject(json, as: "error")
        let code = try stored.require(try stored.string("code"), "code")
        let title = try stored.require(try stored.string("title"), "title")
        let detail = try stored.require(try stored.string("detail"), "detail")
        self.init(
            ErrorCode(code), title: title, detail: detail, stage: try stored.word("stage") ?? .execution)
        path = try stored.strings("path")
        publisher = try stored.string("publisher") ?? path.last
        attempt = try stored.int("attempt")
        at = try stored.time("at")
        publishedError = try stored.value("published_error").map(PublishedError.init(json:))
        phase = try stored.string("phase")
        delivery = try stored.string("delivery")
        retryable = try stored.bool("retryable") ?? false
        retryStoppedBy = try stored.string("retry_stopped_by")
        upstream = try stored.value("upstream").map(Upstream.init(json:))
        timing = try stored.object("timing_ms")
        causes = try stored.array("causes").map { value throws(StoredFormError) in
            try AOperationError(json: value)
        }
        bytesOmitted = try stored.inner("omitted")?.int("bytes") ?? 0
    }

    /// Writes the errors as one JSON array.
    public static func write(_ errors: [AOperationError], to writer: inout JSONWriter) {
        writer.beginArray()
        for error in errors { error.write(to: &writer) }
        writer.endArray()
    }
}

extension AOperationError.PublishedError {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("domain", domain)
        writer.member("code", code)
        writer.member("description", description)
        writer.member("failure_reason", ifKnown: failureReason)
        writer.member("recovery_suggestion", ifKnown: recoverySuggestion)
        if !info.isEmpty { writer.member("info", ifKnown: info) }
        writer.endObject()
    }

    fileprivate init(json: JSONValue) throws(StoredFormError) {
        let stored = try StoredObject(json, as: "published error")
        self.init(
            domain: try stored.require(try stored.string("domain"), "domain"),
            code: try stored.require(try stored.int("code"), "code"),
            description: try stored.require(try stored.string("description"), "description"),
            failureReason: try stored.string("failure_reason"),
            recoverySuggestion: try stored.string("recovery_suggestion"),
            info: try stored.object("info") ?? JSONObject())
    }
}

extension AOperationError.Upstream {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("status", status)
        if !headers.isEmpty { writer.member("headers", ifKnown: headers) }
        writer.member("body_excerpt", ifKnown: bodyExcerpt)
        if headersOmitted > 0 {
            writer.name("omitted")
            writer.beginObject()
            writer.member("headers", headersOmitted)
            writer.member("bytes", headerBytesOmitted)
            writer.endObject()
        }
        writer.endObject()
    }

    fileprivate init(json: JSONValue) throws(StoredFormError) {
        let stored = try StoredObject(json, as: "upstream answer")
        self.init(
            status: try stored.require(try stored.int("status"), "status"),
            headers: try stored.object("headers") ?? JSONObject(),
            bodyExcerpt: try stored.string("body_excerpt"))
        guard let omitted = try stored.inner("omitted") else { return }
        headersOmitted = try omitted.int("headers") ?? 0
        headerBytesOmitted = try omitted.int("bytes") ?? 0
    }
}
