import CCurl
import HTTPMessage

/// The report about a finished transfer.
extension CurlTransfer {
    /// The report of a transfer that ended without a complete response.
    func report(_ end: TransferEnd, of call: CurlCall) -> TransferReport {
        let systemError =
            socketError != 0 ? socketError : Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO))
        return TransferReport(
            end: end, target: target, method: call.request.method,
            proxy: isProxied ? engine.route.proxy : nil,
            proxyAnswer: number(CURLINFO_HTTP_CONNECTCODE),
            proxyCertificateVerdict: number(CURLINFO_PROXY_SSL_VERIFYRESULT), stop: stop,
            contentFailure: contentFailure, refusal: collector.refusal, codingFault: codingFault,
            blockedAddress: blocked?.description, blockedIsIPv6: blocked.map { !$0.isIPv4 } ?? false,
            egressWords: engine.settings.egressWords, triedAllowedAddress: triedAllowedAddress,
            systemError: systemError, certificateVerdict: number(CURLINFO_SSL_VERIFYRESULT), words: words,
            phase: phase, hasSentBytes: hasSentBytes, status: collector.status,
            connectTimeout: call.request.connectTimeout, firstByteTimeout: call.request.firstByteTimeout,
            stallTimeout: call.request.stallTimeout, attemptTimeout: call.request.attemptTimeout,
            answerBytesMax: call.request.answerBytesMax,
            headBytesMax: engine.limits.answerHeadBytesMax, exchange: exchange(of: call))
    }

    /// The phase that the transfer reached.
    private var phase: HTTPCallPhase {
        if firstByteAt != nil { return .receive }
        if sendEnded != nil { return hasSentBytes ? .wait : .send }
        if sendBegan != nil { return .send }
        if offset(CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .dns }
        // libcurl records the TCP connection's time only once TLS is established, too.
        guard target.isSecure, opened.map(engine.isConnected) ?? false else { return .connect }
        // Behind a proxy, TLS begins when the tunnel is established.
        return isProxied && number(CURLINFO_HTTP_CONNECTCODE) == 0 ? .connect : .tls
    }

    /// Whether any part of the request left, or may have left.
    var hasSentBytes: Bool {
        sendBegan != nil && (requestSize > 0 || LibcurlVersion.requestSize == .nothing)
    }

    /// The bytes of the request that left, as far as libcurl counts them; those for a proxy do not count.
    private var requestSize: Int { max(0, number(CURLINFO_REQUEST_SIZE) - bytesSentBefore) }

    /// The exchange of the call, including its earlier transfers for bytes, times in line and in total and the number
    /// of redirects. The other phases are those of this transfer.
    func exchange(of call: CurlCall) -> HTTPCallExchange {
        let now = Moment.now
        var exchange = call.exchange(at: now)
        addConnection(to: &exchange)
        let times = TransferTimes(
            nameLookup: offset(CURLINFO_NAMELOOKUP_TIME_T), connect: offset(CURLINFO_CONNECT_TIME_T),
            handshake: offset(CURLINFO_APPCONNECT_TIME_T), sendBegan: sendBegan, sendEnded: sendEnded,
            firstByteAt: firstByteAt)
        times.add(to: &exchange, at: now)
        exchange.bytesSent += bytesSent
        exchange.bytesReceived += bytesReceived
        return exchange
    }

    /// The bytes of this transfer's request that were passed to the network.
    var bytesSent: Int {
        let isLong = source != nil || contentCount > Self.countedWithHeadMax
        let isApart = LibcurlVersion.requestSize.leavesOut(content: isLong)
        return requestSize + (isApart ? offset(CURLINFO_SIZE_UPLOAD_T) : 0)
    }

    /// The bytes of this transfer's response as they arrived.
    var bytesReceived: Int { number(CURLINFO_HEADER_SIZE) + contentReceived }

    private func addConnection(to exchange: inout HTTPCallExchange) {
        guard let address = text(CURLINFO_PRIMARY_IP), !address.isEmpty else { return }
        let port = number(CURLINFO_PRIMARY_PORT)
        exchange.peer =
            address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]:\(port)" : "\(address):\(port)"
        exchange.reusedConnection = sendBegan != nil && number(CURLINFO_NUM_CONNECTS) == 0
        exchange.usedProxy = isProxied
        exchange.tlsVersion = peerTLS?.version
        exchange.certificateExpiresAt = peerTLS?.certificateExpiresAt
        guard sendBegan != nil else { return }
        exchange.protocolName = LibcurlVersion.protocolName(number(CURLINFO_HTTP_VERSION))
    }
}
