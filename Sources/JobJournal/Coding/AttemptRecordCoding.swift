internal import HTTPMessage
package import JobKit
package import StrictJSON

/// The JSON form of an attempt. Members without a value are left out.
extension AttemptRecord {
    /// Whether the upstream may have seen the request: `not_sent`, `sent_unknown` or `answered`; nil for attempts
    /// that make no call.
    package var delivery: String? {
        if let delivery = error?.delivery { return delivery }
        return status == nil ? nil : HTTPCallDelivery.answered.rawValue
    }

    /// Writes the attempt as one JSON object, from which `init(json:)` reads it.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        if let error {
            writer.name("error")
            error.write(to: &writer)
        }
        writer.endObject()
    }

    /// Writes the attempt of an operation as clients see it.
    package func writeShown(of operation: [String], to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("operation", OperationAddress.text(of: operation))
        writeMembers(to: &writer)
        if let error {
            writer.name("error")
            error.writeShown(to: &writer)
        }
        writer.endObject()
    }

    private func writeMembers(to writer: inout JSONWriter) {
        writer.member("number", number)
        writer.member("state", outcome.rawValue)
        writer.member("started_at", ifKnown: startedAt)
        writer.member("finished_at", ifKnown: finishedAt)
        writer.member("status", ifKnown: status)
        exchange?.writeMembers(to: &writer)
        writer.member("delivery", ifKnown: delivery)
        writer.member("retried", nextAttemptAt != nil)
        writer.member("next_attempt_at", ifKnown: nextAttemptAt)
        writer.member("retry_stopped_by", ifKnown: error?.retryStoppedBy)
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
            outcome: try stored.require(try stored.word("state"), "state"),
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

    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.name("timing_ms")
        writer.beginObject()
        for (name, milliseconds) in phases {
            if let milliseconds, milliseconds.isFinite { writer.member(name, milliseconds) }
        }
        writer.endObject()
        writer.member("peer", ifKnown: peer)
        writer.member("protocol", ifKnown: protocolName)
        writer.member("tls_version", ifKnown: tlsVersion)
        writer.member("certificate_expires_at", ifKnown: certificateExpiry)
        writer.member("used_proxy", usedProxy)
        writer.member("bytes_sent", bytesSent)
        writer.member("bytes_received", bytesReceived)
        writer.member("reused_connection", reusedConnection)
        writer.member("redirects", redirects)
        writer.member("effective_url", ifKnown: effectiveURL)
    }

    /// Nil when the attempt made no call.
    fileprivate init?(_ attempt: StoredObject) throws(StoredFormError) {
        guard let value = attempt.value("timing_ms") else { return nil }
        let phases = try StoredObject(value, as: "timing_ms")
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
