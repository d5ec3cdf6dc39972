import HTTPMessage

/// How a transfer ended.
enum TransferEnd: Hashable {
    /// libcurl says so; the number is its `CURLcode`, 0 for success.
    case finished(Int)
    /// One of our clocks ran out.
    case expired(CallClocks.Expiry)
    /// The caller's task was cancelled, or the client was closed.
    case cancelled
}

/// Why one of our own functions told libcurl to give up.
enum TransferStop: Hashable {
    /// The kept connection had died, and sending the request again on a new one could do the work twice.
    case resendRefused
    /// The route asks for HTTP/2, and the upstream does not speak it.
    case noHTTP2
}

/// Everything that is known about a transfer that ended without a complete answer, as plain values.
struct TransferReport {
    /// How it ended.
    var end: TransferEnd
    /// Where the call went.
    var target: CallTarget
    /// The method that was sent.
    var method: String
    /// The proxy on the way, if there is one.
    var proxy: ProxyPlace?
    /// What the proxy answered when it was asked for a tunnel; 0 when it did not.
    var proxyAnswer = 0
    /// OpenSSL's verdict on the proxy's certificate; 0 when it was fine or not looked at.
    var proxyCertificateVerdict = 0
    /// Why our own functions stopped it, if they did.
    var stop: TransferStop?
    /// What the sink or the source of the content threw, if one did.
    var contentFailure: HTTPCallFailure?
    /// Why an arriving piece was refused, if one was.
    var refusal: AnswerCollector.Refusal?
    /// Why the content could not be unpacked, if it could not.
    var codingFault: CodingFault?
    /// The address that the egress rules refused, as text, if one was.
    var blockedAddress: String?
    /// Whether that address is an IPv6 one.
    var blockedIsIPv6 = false
    /// Whether another address of the same host was allowed and tried.
    var triedAllowedAddress = false
    /// The system's error number of the last failed connection attempt, or of `socket`; 0 when none.
    var systemError: Int32 = 0
    /// OpenSSL's verdict on the certificate (`X509_V_…`); 0 when it was fine or not looked at.
    var certificateVerdict = 0
    /// libcurl's own words, possibly empty.
    var words = ""
    /// How far the transfer came.
    var phase: HTTPCallPhase
    /// Whether at least one byte of the request was handed to the network.
    var hasSentBytes = false
    /// The final status, when its line arrived.
    var status: Int?
    /// The clocks that applied.
    var connectTimeout: Duration
    var firstByteTimeout: Duration
    var stallTimeout: Duration
    var attemptTimeout: Duration
    /// The limit on the content, for the text of `body.too_large`.
    var answerBytesMax: Int
    /// The limit on the head.
    var headBytesMax: Int
    /// What happened on the wire.
    var exchange: HTTPCallExchange

    /// Whether the upstream may have seen the request.
    var delivery: HTTPCallDelivery {
        if status != nil { return .answered }
        return hasSentBytes ? .sentUnknown : .notSent
    }
}
