import CCurl
import Glibc
import HTTPMessage

/// Names that are not found, and connections that fail or break.
extension FailureTable {
    /// libcurl does not report the resolver's reason. A name server that answers does so at once; a look-up that took
    /// as long as the resolver waits for one server (5 s) was not answered.
    static func dns(_ report: TransferReport) -> Entry {
        if report.exchange.totalMilliseconds ?? 0 > 4500 {
            return Entry(
                "dns.failed", "No name server answered for \(report.target.host).",
                "Check the name servers of this machine; trying again may help.", .dns
            )
        }
        return Entry(
            "dns.not_found", "The name \(report.target.host) could not be resolved.",
            "Check the host in the URL, and that this machine can resolve it.", .dns
        )
    }

    static func connection(_ report: TransferReport) -> Entry {
        let place = report.target.description
        switch report.systemError {
        case ECONNREFUSED:
            return Entry(
                "connect.refused", "\(place) refused the connection.",
                "Check that the server is running and listens on port \(report.target.port).", .connect
            )
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL:
            return Entry(
                "connect.unreachable",
                "There is no way to \(place) from here: \(errorText(report.systemError)).",
                "Check the network of this machine and the address.", .connect
            )
        case ECONNRESET:
            return Entry(
                "connect.reset", "\(place) reset the connection while it was being made.", nil, .connect)
        case ETIMEDOUT:
            return Entry(
                "timeout.connect", "\(place) did not answer the connection attempt.",
                "Check that the host is up and no firewall drops the packets.", .connect
            )
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            return Entry(
                "internal.transport",
                "No connection to \(place): out of resources here (\(errorText(report.systemError))).",
                "Raise the limit of open files of this process.", .connect
            )
        default:
            return Entry("connect.failed", "No connection to \(place): \(words(report)).", nil, .connect)
        }
    }

    static func broken(_ code: CURLcode, _ report: TransferReport) -> Entry {
        let place = report.target.description
        // "… in chunked-encoding", and newer versions also "chunk hex-length …" and "invalid chunk size: …".
        if report.status != nil, report.words.contains("chunk") {
            return Entry(
                "http.protocol", "The content of \(place) is not framed as it should be: \(words(report)).",
                "Look at the server, or a proxy in between.", .receive)
        }
        if report.words.contains("Too large response headers") {
            return Entry(
                "http.protocol", "The answer head of \(place) is too large: \(words(report)).",
                "Make the server send fewer or shorter header fields.", .receive)
        }
        if report.status != nil {
            return Entry(
                "body.truncated", "\(place) closed the connection before the answer was complete.",
                "Try again; if it persists, look at the server or a proxy in between.", .receive
            )
        }
        if let entry = alert(report) { return entry }
        if code == CURLE_GOT_NOTHING {
            return Entry(
                "connect.reset", "\(place) closed the connection without an answer.",
                "Look at the server's log: it took the connection but did not answer.", .wait
            )
        }
        return Entry(
            "connect.reset", "The connection to \(place) broke before the answer: \(words(report)).",
            "Look at the server's log, or a proxy in between.", nil
        )
    }
}
