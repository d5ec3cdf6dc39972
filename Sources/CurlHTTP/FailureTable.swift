import CCurl
import Glibc
import HTTPMessage

/// Turns the report of a failed transfer into the failure that people and retry rules read. The only place where
/// libcurl's numbers become codes.
enum FailureTable {
    /// The diagnosis of a report.
    struct Entry {
        let code: String
        let detail: String
        let suggestion: String?
        /// The phase, if the report's is not exact.
        let phase: HTTPCallPhase?
        /// The delivery, if more is known than in the report.
        var delivery: HTTPCallDelivery?

        init(
            _ code: String, _ detail: String, _ suggestion: String?, _ phase: HTTPCallPhase?,
            _ delivery: HTTPCallDelivery? = nil
        ) {
            self.code = code
            self.detail = detail
            self.suggestion = suggestion
            self.phase = phase
            self.delivery = delivery
        }
    }

    static func failure(_ report: TransferReport) -> HTTPCallFailure {
        let entry = entry(report)
        var native = 0
        if case .finished(let code) = report.end { native = code }
        return HTTPCallFailure(
            code: entry.code, detail: entry.detail, suggestion: entry.suggestion,
            phase: entry.phase ?? report.phase, delivery: entry.delivery ?? report.delivery,
            status: report.status,
            nativeCode: native, exchange: report.exchange)
    }

    private static func entry(_ report: TransferReport) -> Entry {
        switch report.end {
        case .cancelled:
            return Entry(
                "cancelled.transport", "The call to \(report.target.description) was cancelled.", nil, nil
            )
        case .expired(let expiry):
            return expired(expiry, report)
        case .finished(let code):
            return ownReason(report) ?? finished(CURLcode(UInt32(truncatingIfNeeded: code)), report)
        }
    }

    // MARK: Our own reasons

    private static func ownReason(_ report: TransferReport) -> Entry? {
        if let failure = report.contentFailure {
            return Entry(
                failure.code, failure.detail, failure.suggestion, report.status == nil ? .send : .receive)
        }
        if let address = report.blockedAddress, !report.triedAllowedAddress {
            return blocked(address, report)
        }
        if let entry = coding(report) { return entry }
        return report.refusal.map { refused($0, report) } ?? stopped(report)
    }

    private static func refused(_ refusal: AnswerCollector.Refusal, _ report: TransferReport) -> Entry {
        switch refusal {
        case .bodyTooLarge:
            return Entry(
                "body.too_large",
                "The answer of \(report.target.description) is larger than \(report.answerBytesMax) bytes.",
                "Raise the limit for this call if it may be that large.",
                .receive
            )
        case .headTooLarge:
            return Entry(
                "http.protocol",
                "The answer head of \(report.target.description) exceeds \(report.headBytesMax) bytes or "
                    + "\(AnswerCollector.headFieldsMax) fields.",
                "Make the server send fewer or shorter header fields.", .receive
            )
        case .lengthIsUnclear:
            return Entry(
                "http.protocol",
                "The answer of \(report.target.description) announces an invalid length, or several.",
                "Look at the server, or a proxy in between: one of them frames its answers wrongly.", .receive
            )
        case .headIsMalformed:
            return Entry(
                "http.protocol",
                "The answer of \(report.target.description) is not valid HTTP: its head is malformed.",
                "Check that an HTTP server listens on this port.", nil
            )
        case .switchesProtocols:
            return Entry(
                "http.protocol",
                "\(report.target.description) answered 101 and switched to a protocol that was not asked for.",
                "Call another path of it: this one speaks WebSocket, or another protocol than HTTP.", .receive
            )
        }
    }

    private static func stopped(_ report: TransferReport) -> Entry? {
        if report.stop == .noHTTP2 {
            return Entry(
                "http.version", "\(report.target.description) does not speak HTTP/2.",
                "Ask for HTTP/1.1, or leave the version open.", .tls, .notSent)
        }
        guard report.stop == .resendRefused else { return nil }
        return Entry(
            "connect.reset",
            "\(report.target.description) closed a kept connection while the \(report.method) was under way; "
                + "it was not sent again.",
            "Find out whether the request took effect before sending it again.",
            .wait
        )
    }

    private static func blocked(_ address: String, _ report: TransferReport) -> Entry {
        let who = report.proxy.map { "The proxy \($0.target.host)" } ?? report.target.host
        return Entry(
            "egress.blocked", "\(who) is at \(address), which \(report.egressWords.caller) may not call.",
            report.egressWords.suggestion(address, isIPv6: report.blockedIsIPv6), .connect)
    }

    private static func expired(_ expiry: CallClocks.Expiry, _ report: TransferReport) -> Entry {
        let place = report.target.description
        switch expiry {
        case .connect:
            return connectTimeout(report)
        case .firstByte:
            return Entry(
                "timeout.first_byte",
                "\(place) did not begin to answer within \(text(report.firstByteTimeout)) of the request.",
                "Raise the first-byte timeout if the server needs longer, or look at its load.", .wait
            )
        case .stall:
            return stalled(report)
        case .attempt:
            return attemptTimeout(report)
        }
    }

    private static func attemptTimeout(_ report: TransferReport) -> Entry {
        let queued = report.exchange.lineMilliseconds.map { Duration.milliseconds(Int($0)) } ?? .zero
        let inLine = queued > .zero ? ", \(text(queued)) of it in line for a connection" : ""
        return Entry(
            "timeout.attempt",
            "The call to \(report.target.description) was not complete after \(text(report.attemptTimeout))"
                + "\(inLine).",
            inLine.isEmpty
                ? "Raise the timeout if the call may take longer."
                : "Raise the timeout, or make fewer calls at the same time.", nil
        )
    }

    private static func stalled(_ report: TransferReport) -> Entry {
        let place = report.target.description
        let limit = text(report.stallTimeout)
        if report.phase == .receive {
            return Entry(
                "timeout.stall", "The answer of \(place) stood still for \(limit).",
                "Try again; raise the stall timeout if the server pauses that long on purpose.", .receive)
        }
        return Entry(
            "timeout.stall", "\(place) took nothing of the request for \(limit).",
            "Look at the load of the server, or raise the stall timeout.", .send)
    }

    static func connectTimeout(_ report: TransferReport) -> Entry {
        let place = report.target.description
        let limit = text(report.connectTimeout)
        switch report.phase {
        case .dns:
            return Entry(
                "timeout.connect", "The name \(report.target.host) was not resolved within \(limit).",
                "Check the name servers of this machine.", .dns
            )
        case .connect where report.proxy != nil:
            return Entry(
                "timeout.connect", "No connection to \(place) through the proxy within \(limit).",
                "Check that the proxy is up and may reach the host.", .connect
            )
        case .tls:
            return Entry(
                "timeout.connect", "The TLS handshake with \(place) was not complete within \(limit).",
                "Check that the server speaks TLS on this port, or raise the connect timeout.", .tls
            )
        default:
            return Entry(
                "timeout.connect", "No connection to \(place) within \(limit).",
                "Check that the host is up and no firewall drops the packets.", .connect
            )
        }
    }

    // MARK: libcurl's reasons

    /// `CURLE_TOO_LARGE` of newer versions: a line of a head, usually.
    private static let tooLarge = CURLcode(100)
    /// `CURLE_ECH_REQUIRED` of newer versions.
    private static let encryptedHelloRequired = CURLcode(101)

    private static func finished(_ code: CURLcode, _ report: TransferReport) -> Entry {
        let place = report.target.description
        if let entry = proxy(code, report) { return entry }
        switch code {
        case CURLE_URL_MALFORMAT:
            return Entry(
                "http.url", "The URL is not valid: \(words(report)).", "Check the host and the port.", .send
            )
        case CURLE_COULDNT_RESOLVE_HOST:
            return dns(report)
        case CURLE_COULDNT_CONNECT:
            return connection(report)
        case CURLE_OPERATION_TIMEDOUT:
            return connectTimeout(report)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
            return certificate(report)
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE:
            return unusable(code, report)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED,
            CURLE_SSL_CLIENTCERT, encryptedHelloRequired:
            return alert(report)
                ?? Entry(
                    "tls.handshake", "The TLS handshake with \(place) failed: \(words(report)).",
                    "Check that the port speaks TLS 1.2 or newer.", .tls
                )
        case CURLE_OK where report.status != nil:
            return broken(code, report)
        case CURLE_OUT_OF_MEMORY where report.phase == .receive, tooLarge where report.phase == .receive:
            return Entry(
                "http.protocol", "\(place) sent a header field of more than 100 KiB.",
                "Make the server send shorter header fields.", .receive
            )
        case CURLE_BAD_FUNCTION_ARGUMENT where report.phase == .receive:
            return refused(.headIsMalformed, report)
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE:
            return broken(code, report)
        case CURLE_BAD_CONTENT_ENCODING:
            // libcurl does not decode content here, so that this is about the transfer.
            return transferCoding(report)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP2, CURLE_HTTP2_STREAM,
            CURLE_HTTP3, CURLE_OK:
            return Entry(
                "http.protocol", "The answer of \(place) is not valid HTTP: \(words(report)).",
                "Check that an HTTP server listens on this port.", nil
            )
        default:
            return Entry(
                "internal.transport",
                "The call to \(place) failed inside the transport (\(code.rawValue)): \(words(report)).", nil,
                nil
            )
        }
    }

    // MARK: Words

    static func words(_ report: TransferReport) -> String {
        if !report.words.isEmpty { return report.words }
        guard case .finished(let code) = report.end else { return "no reason given" }
        guard let text = unsafe curl_easy_strerror(CURLcode(UInt32(truncatingIfNeeded: code))) else {
            return "error \(code)"
        }
        return unsafe String(cString: text)
    }

    static func errorText(_ number: Int32) -> String {
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: text)
    }

    static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        return milliseconds == 0 ? "\(seconds) s" : "\(seconds * 1000 + milliseconds) ms"
    }
}
