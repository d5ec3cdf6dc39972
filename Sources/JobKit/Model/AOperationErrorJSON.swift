public import StrictJSON

/// The JSON form of an error, the same in answers, in the journal and in results. Every member is always present,
/// except for those that count what is left out; unknown ones are null.
extension AOperationError {
    /// Writes the error as one JSON object.
    public func write(to writer: inout JSONWriter) { write(wholeAt: nil, to: &writer) }

    /// Writes the error as one JSON object.
    /// - Parameter address: where the whole error is read, when this is a part of it.
    package func write(wholeAt address: String?, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("code", code.description)
        writer.member("title", title)
        writer.member("detail", detail)
        writer.member("state", state.rawValue)
        writer.member("publisher", orNull: publisher)
        writer.member("path", path)
        writer.member(
            "operation", orNull: path.isEmpty ? nil : OperationAddress.text(of: path.dropFirst()))
        writer.member("attempt", orNull: attempt)
        writer.member("at", orNull: at)
        writer.name("published_error")
        if let publishedError { publishedError.write(to: &writer) } else { writer.null() }
        writer.member("phase", orNull: phase)
        writer.member("delivery", orNull: delivery)
        writer.member("retryable", retryable)
        writer.member("retry_stopped_by", orNull: retryStoppedBy)
        writer.name("upstream")
        if let upstream { upstream.write(to: &writer) } else { writer.null() }
        writer.member("timing", orNull: timing)
        writer.name("causes")
        writer.beginArray()
        for cause in causes { cause.write(to: &writer) }
        writer.endArray()
        if bytesOmitted > 0 {
            writer.name("omitted")
            writer.beginObject()
            writer.member("bytes", bytesOmitted)
            if let address { writer.member("link", address) }
            writer.endObject()
        }
        writer.endObject()
    }

    /// Decodes an error in the form of `write(to:)`; members that are missing count as null, members
    /// that are not known are passed over.
    ///
    /// - Throws: `StoredFormError` when `code`, `title` or `detail` is missing or a member has another type.
    public init(json: JSONValue) throws(StoredFormError) {
        let stored = try StoredObject(json, as: "error")
        let code = try stored.require(try stored.string("code"), "code")
        let title = try stored.require(try stored.string("title"), "title")
        let detail = try stored.require(try stored.string("detail"), "detail")
        self.init(
            ErrorCode(code), title: title, detail: detail, state: try stored.word("state") ?? .execution)
        publisher = try stored.string("publisher")
        path = try stored.strings("path")
        attempt = try stored.int("attempt")
        at = try stored.time("at")
        publishedError = try stored.value("published_error").map(PublishedError.init(json:))
        phase = try stored.string("phase")
        delivery = try stored.string("delivery")
        retryable = try stored.bool("retryable") ?? false
        retryStoppedBy = try stored.string("retry_stopped_by")
        upstream = try stored.value("upstream").map(Upstream.init(json:))
        timing = try stored.object("timing")
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
        writer.member("code", orNull: code)
        writer.member("description", description)
        writer.member("failure_reason", orNull: failureReason)
        writer.member("recovery_suggestion", orNull: recoverySuggestion)
        writer.member("info", orNull: info)
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
        writer.member("status", orNull: status)
        writer.member("headers", orNull: headers)
        writer.member("body_excerpt", orNull: bodyExcerpt)
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
