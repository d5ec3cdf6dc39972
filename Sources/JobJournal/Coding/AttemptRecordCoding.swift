internal import HTTPMessage
package import JobKit
package import StrictJSON

/// The JSON form of an attempt, the same in answers and in the journal. Every member is always present; unknown ones
/// are null. Phases are milliseconds.
extension AttemptRecord {
    /// Whether the upstream may have seen the request: `not_sent`, `sent_unknown` or `answered`; nil for attempts
    /// that make no call.
    package var delivery: String? {
        if let delivery = error?.delivery { return delivery }
        return status == nil ? nil : HTTPCallDelivery.answered.rawValue
    }

    /// Writes the attempt as one JSON object.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("number", orNull: number)
        writer.member("outcome", outcome.rawValue)
        writer.member("started_at", orNull: startedAt)
        writer.member("finished_at", orNull: finishedAt)
        writer.member("status", orNull: status)
        writer.name("phases")
        if let exchange { exchange.writePhases(to: &writer) } else { writer.null() }
        writer.member("peer", orNull: exchange?.peer)
        writer.member("protocol", orNull: exchange?.protocolName)
        writer.member("tls_version", orNull: exchange?.tlsVersion)
        writer.member("certificate_expires_at", orNull: exchange?.certificateExpiry)
        writer.name("used_proxy")
        if let exchange { writer.value(exchange.usedProxy) } else { writer.null() }
        writer.member("bytes_sent", orNull: exchange?.bytesSent)
        writer.member("bytes_received", orNull: exchange?.bytesReceived)
        writer.name("reused_connection")
        if let exchange { writer.value(exchange.reusedConnection) } else { writer.null() }
        writer.member("redirects", orNull: exchange?.redirects)
        writer.member("effective_url", orNull: exchange?.effectiveURL)
        writer.member("delivery", orNull: delivery)
        writer.member("retried", nextAttemptAt != nil)
        writer.member("next_attempt_at", orNull: nextAttemptAt)
        writer.member("retry_stopped_by", orNull: error?.retryStoppedBy)
        writer.name("error")
        if let error { error.write(to: &writer) } else { writer.null() }
        writer.endObject()
    }

    /// Parses the form of `write(to:)`.
    ///
    /// - Throws: `StoredFormError` when a required member is missing, or has a wrong type.
    package init(json: JSONValue) throws(StoredFormError) {
        let stored = try StoredObject(json, as: "attempt")
        self.init(
            number: try stored.require(try stored.int("number"), "number"),
            startedAt: try stored.require(try stored.time("started_at"), "started_at"),
            finishedAt: try stored.require(try stored.time("finished_at"), "finished_at"),
            outcome: try stored.require(try stored.word("outcome"), "outcome"),
            status: try stored.int("status"),
            exchange: try HTTPCallExchange(stored),
            error: try stored.value("error").map(AOperationError.init(json:)),
            nextAttemptAt: try stored.time("next_attempt_at"))
    }
}

extension HTTPCallExchange {
    /// The expiry of the upstream's certificate.
    fileprivate var certificateExpiry: Timestamp? {
        certificateExpiresAt.flatMap { seconds in
            let (milliseconds, overflows) = Int64(seconds).multipliedReportingOverflow(by: 1_000)
            return overflows ? nil : Timestamp(milliseconds: milliseconds)
        }
    }

    fileprivate func writePhases(to writer: inout JSONWriter) {
        writer.beginObject()
        if let lineMilliseconds { writer.member("line", lineMilliseconds) }
        writer.member("dns", orNull: dnsMilliseconds)
        writer.member("connect", orNull: connectMilliseconds)
        writer.member("tls", orNull: tlsMilliseconds)
        writer.member("send", orNull: sendMilliseconds)
        writer.member("wait", orNull: waitMilliseconds)
        writer.member("receive", orNull: receiveMilliseconds)
        writer.member("total", orNull: totalMilliseconds)
        writer.endObject()
    }

    /// Nil when the attempt made no call.
    fileprivate init?(_ attempt: StoredObject) throws(StoredFormError) {
        guard let value = attempt.value("phases") else { return nil }
        let phases = try StoredObject(value, as: "phases")
        self.init()
        lineMilliseconds = try phases.double("line")
        dnsMilliseconds = try phases.double("dns")
        connectMilliseconds = try phases.double("connect")
        tlsMilliseconds = try phases.double("tls")
        sendMilliseconds = try phases.double("send")
        waitMilliseconds = try phases.double("wait")
        receiveMilliseconds = try phases.double("receive")
        totalMilliseconds = try phases.double("total")
        peer = try attempt.string("peer")
        protocolName = try attempt.string("protocol")
        tlsVersion = try attempt.string("tls_version")
        certificateExpiresAt = try attempt.time("certificate_expires_at").map { Int($0.milliseconds / 1_000) }
        usedProxy = try attempt.bool("used_proxy") ?? false
        bytesSent = try attempt.int("bytes_sent") ?? 0
        bytesReceived = try attempt.int("bytes_received") ?? 0
        reusedConnection = try attempt.bool("reused_connection") ?? false
        redirects = try attempt.int("redirects") ?? 0
        effectiveURL = try attempt.string("effective_url")
    }
}
