import CCurl
import Glibc
import HTTPMessage

/// Turns the report of a failed transfer into the failure that people and retry rules read. The only place where
/// libcurl's numbers become codes.
enum FailureTable {
    /// Code, detail, suggestion and, where the report's phase is not exact, the phase.
    private typealias Entry = (
        code: String, detail: String, suggestion: String?, phase: HTTPCallPhase?
    )

    /// The failure for `report`.
    static func failure(_ report: TransferReport) -> HTTPCallFailure {
        let entry = entry(report)
        var native = 0
        if case .finished(let code) = report.end { native = code }
        return HTTPCallFailure(
            code: entry.code, detail: entry.detail, suggestion: entry.suggestion,
            phase: entry.phase ?? report.phase, delivery: report.delivery, status: report.status,
            nativeCode: native, exchange: report.exchange)
    }

    private static func entry(_ report: TransferReport) -> Entry {
        switch report.end {
        case .cancelled:
            return (
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
        if let address = report.blockedAddress, !report.triedAllowedAddress {
            return blocked(address, report)
        }
        switch report.refusal {
        case .bodyTooLarge:
            return (
                "body.too_large",
                "The answer of \(report.target.description) is larger than \(report.answerBytesMax) bytes.",
                "Raise the limit for this call, or use a download, which keeps large content as an artifact.",
                .receive
            )
        case .headTooLarge:
            return (
                "http.protocol",
                "The answer head of \(report.target.description) exceeds \(report.headBytesMax) bytes.",
                "Make the server send fewer or shorter header fields.", .receive
            )
        case nil:
            break
        }
        guard report.stop == .resendRefused else { return nil }
        return (
            "connect.reset",
            "\(report.target.description) closed a kept connection while the \(report.method) was under way; "
                + "it was not sent again.",
            "Find out whether the request took effect before sending it again.",
            .wait
        )
    }

    private static func blocked(_ address: String, _ report: TransferReport) -> Entry {
        let prefix = report.blockedIsIPv6 ? 128 : 32
        return (
            "egress.blocked",
            "\(report.target.host) is at \(address), which this server may not call.",
            "If the call is meant, start the server with --egress-allow \(address)/\(prefix).", .connect
        )
    }

    private static func expired(_ expiry: CallClocks.Expiry, _ report: TransferReport) -> Entry {
        let place = report.target.description
        switch expiry {
        case .connect:
            return connectTimeout(report)
        case .firstByte:
            return (
                "timeout.first_byte",
                "\(place) did not begin to answer within \(text(report.firstByteTimeout)) of the request.",
                "Raise the first-byte timeout if the server needs longer, or look at its load.", .wait
            )
        case .attempt:
            return (
                "timeout.attempt",
                "The call to \(place) was not complete after \(text(report.attemptTimeout)).",
                "Raise the timeout if the call may take longer.", nil
            )
        }
    }

    private static func connectTimeout(_ report: TransferReport) -> Entry {
        let place = report.target.description
        let limit = text(report.connectTimeout)
        switch report.phase {
        case .dns:
            return (
                "timeout.connect", "The name \(report.target.host) was not resolved within \(limit).",
                "Check the name servers of this machine.", .dns
            )
        case .tls:
            return (
                "timeout.connect", "The TLS handshake with \(place) was not complete within \(limit).",
                "Check that the server speaks TLS on this port, or raise the connect timeout.", .tls
            )
        default:
            return (
                "timeout.connect", "No connection to \(place) within \(limit).",
                "Check that the host is up and no firewall drops the packets.", .connect
            )
        }
    }

    // MARK: libcurl's reasons

    private static func finished(_ code: CURLcode, _ report: TransferReport) -> Entry {
        let place = report.target.description
        switch code {
        case CURLE_URL_MALFORMAT:
            return (
                "http.url", "The URL is not valid: \(words(report)).", "Check the host and the port.", .send
            )
        case CURLE_COULDNT_RESOLVE_HOST:
            return dns(report)
        case CURLE_COULDNT_CONNECT:
            return connection(report)
        case CURLE_OPERATION_TIMEDOUT:
            return connectTimeout(report)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ISSUER_ERROR:
            return certificate(report)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED:
            return (
                "tls.handshake", "The TLS handshake with \(place) failed: \(words(report)).",
                "Check that the port speaks TLS 1.2 or newer.", .tls
            )
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE:
            return broken(code, report)
        case CURLE_BAD_CONTENT_ENCODING:
            return (
                "body.encoding", "The content of \(place) could not be unpacked: \(words(report)).",
                "Check the server's Content-Encoding.", .receive
            )
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP2, CURLE_HTTP2_STREAM,
            CURLE_HTTP3, CURLE_OK:
            return (
                "http.protocol", "The answer of \(place) is not valid HTTP: \(words(report)).",
                "Check that an HTTP server listens on this port.", nil
            )
        default:
            return (
                "internal.transport",
                "The call to \(place) failed inside the transport (\(code.rawValue)): \(words(report)).", nil,
                nil
            )
        }
    }

    /// libcurl keeps the resolver's reason to itself. A name server that answers does so at once; a look-up that
    /// took as long as the resolver waits for one server (5 s) was not answered.
    private static func dns(_ report: TransferReport) -> Entry {
        if report.exchange.totalMilliseconds ?? 0 > 4500 {
            return (
                "dns.failed", "No name server answered for \(report.target.host).",
                "Check the name servers of this machine; trying again may help.", .dns
            )
        }
        return (
            "dns.not_found", "The name \(report.target.host) could not be resolved.",
            "Check the host in the URL, and that this machine can resolve it.", .dns
        )
    }

    private static func connection(_ report: TransferReport) -> Entry {
        let place = report.target.description
        switch report.systemError {
        case ECONNREFUSED:
            return (
                "connect.refused", "\(place) refused the connection.",
                "Check that the server is running and listens on port \(report.target.port).", .connect
            )
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL:
            return (
                "connect.unreachable",
                "There is no way to \(place) from here: \(errorText(report.systemError)).",
                "Check the network of this machine and the address.", .connect
            )
        case ECONNRESET:
            return ("connect.reset", "\(place) reset the connection while it was being made.", nil, .connect)
        case ETIMEDOUT:
            return (
                "timeout.connect", "\(place) did not answer the connection attempt.",
                "Check that the host is up and no firewall drops the packets.", .connect
            )
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            return (
                "internal.transport",
                "No connection to \(place): out of resources here (\(errorText(report.systemError))).",
                "Raise the limit of open files of the server.", .connect
            )
        default:
            return ("connect.failed", "No connection to \(place): \(words(report)).", nil, .connect)
        }
    }

    private static func broken(_ code: CURLcode, _ report: TransferReport) -> Entry {
        let place = report.target.description
        if report.status != nil {
            return (
                "body.truncated", "\(place) closed the connection before the answer was complete.",
                "Try again; if it persists, look at the server or a proxy in between.", .receive
            )
        }
        if code == CURLE_GOT_NOTHING {
            return (
                "connect.reset", "\(place) closed the connection without an answer.",
                "Look at the server's log: it took the connection but did not answer.", .wait
            )
        }
        return (
            "connect.reset", "The connection to \(place) broke before the answer: \(words(report)).",
            "Look at the server's log, or a proxy in between.", nil
        )
    }

    private static func certificate(_ report: TransferReport) -> Entry {
        let host = report.target.host
        switch report.certificateVerdict {
        case 9, 10:
            let problem = report.certificateVerdict == 10 ? "has expired" : "is not valid yet"
            return (
                "tls.certificate_expired", "The certificate of \(host) \(problem).",
                "Renew the certificate on the server, and check this machine's clock.", .tls
            )
        case 62, 64:
            return wrongName(host)
        case _ where report.words.contains("subject name"):
            // libcurl compares the names itself, before it asks OpenSSL for its verdict.
            return wrongName(host)
        default:
            return (
                "tls.certificate_untrusted", "The certificate of \(host) is not trusted: \(words(report)).",
                "Have it signed by an authority that this machine trusts, or add the authority.",
                .tls
            )
        }
    }

    private static func wrongName(_ host: String) -> Entry {
        (
            "tls.hostname_mismatch", "The certificate that was shown is not for \(host).",
            "Use a host name that the certificate covers.", .tls
        )
    }

    // MARK: Words

    private static func words(_ report: TransferReport) -> String {
        if !report.words.isEmpty { return report.words }
        guard case .finished(let code) = report.end else { return "no reason given" }
        guard let text = unsafe curl_easy_strerror(CURLcode(UInt32(truncatingIfNeeded: code))) else {
            return "error \(code)"
        }
        return unsafe String(cString: text)
    }

    private static func errorText(_ number: Int32) -> String {
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: text)
    }

    private static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        return milliseconds == 0 ? "\(seconds) s" : "\(seconds * 1000 + milliseconds) ms"
    }
}
