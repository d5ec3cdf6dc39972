import HTTPMessage

/// The end of a transfer.
enum TransferEnd: Hashable {
    /// libcurl ended it; the number is its `CURLcode`, 0 for success.
    case finished(Int)
    /// One of our timeouts expired.
    case expired(CallClocks.Expiry)
    /// The caller's task was cancelled, or the client was closed.
    case cancelled
}

/// The reason why one of our callbacks aborted the transfer.
enum TransferStop: Hashable {
    /// The reused connection was dead, and repeating the request on a new one could do the work twice.
    case resendRefused
    /// The route requires HTTP/2, which the upstream does not offer.
    case noHTTP2
}

/// The facts about a transfer that ended without a complete response.
struct TransferReport {
    var end: TransferEnd
    var target: CallTarget
    var method: String
    /// The proxy of the call, if any.
    var proxy: ProxyPlace?
    /// The status with which the proxy refused a tunnel; 0 when it did not.
    var proxyAnswer = 0
    /// OpenSSL's verdict on the proxy's certificate; 0 when it was valid or not checked.
    var proxyCertificateVerdict = 0
    /// The reason why our callbacks stopped it, if they did.
    var stop: TransferStop?
    /// The failure that the sink or the source of the content threw, if any.
    var contentFailure: HTTPCallFailure?
    /// The reason why an arriving piece was refused, if any.
    var refusal: AnswerCollector.Refusal?
    /// The reason why the content could not be decoded, if any.
    var codingFault: CodingFault?
    /// The text of the address that the egress rules refused, if any.
    var blockedAddress: String?
    var blockedIsIPv6 = false
    var egressWords = EgressWords.server
    /// Whether another address of the same host was allowed and tried.
    var triedAllowedAddress = false
    /// The system's error number of the last failed connection attempt, or of `socket`; 0 when there is none.
    var systemError: Int32 = 0
    /// OpenSSL's verdict on the certificate (`X509_V_…`); 0 when it was valid or not checked.
    var certificateVerdict = 0
    /// libcurl's message, possibly empty.
    var words = ""
    /// The phase that the transfer reached.
    var phase: HTTPCallPhase
    /// Whether at least one byte of the request was passed to the network.
    var hasSentBytes = false
    /// The final status, if its line arrived.
    var status: Int?
    /// The timeouts of the call.
    var connectTimeout: Duration
    var firstByteTimeout: Duration
    var stallTimeout: Duration
    var attemptTimeout: Duration
    /// The limit of the content, for the text of `body.too_large`.
    var answerBytesMax: Int
    /// The limit of the head.
    var headBytesMax: Int
    var exchange: HTTPCallExchange

    /// Whether the upstream may have seen the request.
    var delivery: HTTPCallDelivery {
        if status != nil { return .answered }
        return hasSentBytes ? .sentUnknown : .notSent
    }
}
