import CCurl
import Glibc
import HTTPMessage

/// Proxies that are unreachable or refuse a call. Nothing of the request was sent then.
extension FailureTable {
    /// The failure of the proxy or of the way to it; nil when the proxy is not the cause.
    static func proxy(_ code: CURLcode, _ report: TransferReport) -> Entry? {
        guard let proxy = report.proxy else { return nil }
        let place = proxy.target.description
        if code == CURLE_COULDNT_RESOLVE_PROXY {
            return Entry(
                "proxy.not_found", "The name of the proxy, \(proxy.target.host), could not be resolved.",
                "Check the proxy's URL.", .dns)
        }
        if code == CURLE_COULDNT_CONNECT { return unreachable(place, report) }
        // tinyproxy answers wrong credentials with 401.
        if report.proxyAnswer == 407 || report.proxyAnswer == 401 {
            return Entry(
                "proxy.auth", HTTPCallFailure.proxyAuthDetail(proxy), HTTPCallFailure.proxyAuthSuggestion,
                .connect, .notSent)
        }
        if report.proxyAnswer >= 300 {
            return Entry(
                "proxy.connect",
                "The proxy \(place) opened no tunnel to \(report.target.description): it answered "
                    + "\(report.proxyAnswer).",
                "Check that the proxy may reach this host and port; its log says why.", .connect, .notSent)
        }
        guard !report.hasSentBytes, report.proxyAnswer == 0 else { return nil }
        return beforeTheTunnel(code, proxy, report)
    }

    private static func unreachable(_ place: String, _ report: TransferReport) -> Entry? {
        switch report.systemError {
        case ECONNREFUSED:
            Entry(
                "proxy.refused", "The proxy \(place) refused the connection.",
                "Check that the proxy is running and listens there.", .connect)
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            nil
        default:
            Entry(
                "proxy.unreachable",
                "No connection to the proxy \(place): \(errorText(report.systemError)).",
                "Check the proxy's address and the network of this machine.", .connect)
        }
    }

    private static func beforeTheTunnel(
        _ code: CURLcode, _ proxy: ProxyPlace, _ report: TransferReport
    ) -> Entry? {
        let place = proxy.target.description
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_ISSUER_ERROR:
            guard proxy.target.isSecure else { return nil }
            return Entry(
                "proxy.tls", "The TLS handshake with the proxy \(place) failed: \(words(report)).",
                "Check the proxy's certificate, or add its authority.", .tls)
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_WEIRD_SERVER_REPLY,
            CURLE_UNSUPPORTED_PROTOCOL:
            guard report.target.isSecure else { return nil }
            return Entry(
                "proxy.connect",
                "The proxy \(place) did not answer the request for a tunnel: \(words(report)).",
                "Check that an HTTP proxy listens there.", .connect, .notSent)
        default:
            return nil
        }
    }
}
