import CCurl
import HTTPMessage

/// A libcurl easy handle with all state that its callbacks touch. It carries one request after another; options that
/// differ between requests are set for each one, the others once.
///
/// For the loop's thread only.
@safe
final class CurlTransfer {
    /// The libcurl handle, for the engine.
    let easy: UnsafeMutableRawPointer
    unowned let engine: CurlEngine
    var call: CurlCall?
    var target = CallTarget.unknown
    var clocks: CallClocks
    /// The response so far.
    var collector = AnswerCollector()
    /// The index in the engine's list of active transfers.
    var position = -1

    /// The sink of the content, and its stage.
    var sink: (any HTTPContentSink)?
    var sinkStage = SinkStage.waiting
    /// The source of the content to send, and the offset up to which it was read.
    var source: (any HTTPContentSource)?
    var sourceOffset = 0
    /// The decoder of the content, created with its first piece; nil when it has no coding.
    var decoder: ContentDecoder?
    var knowsDecoder = false
    /// The reason why the content could not be decoded.
    var codingFault: CodingFault?
    /// The failure with which the sink or the source ended the call.
    var contentFailure: HTTPCallFailure?
    /// Whether the target is reached through the route's proxy.
    private(set) var isProxied = false
    /// Whether the handle has a request target other than that of libcurl.
    private var hasRequestTarget = false
    /// The facts about the TLS connection.
    var peerTLS: PeerTLS?

    /// The reason why one of our callbacks aborted.
    var stop: TransferStop?
    /// The address that the egress rules refused last.
    var blocked: IPAddress?
    var triedAllowedAddress = false
    /// The socket that was opened last.
    var opened: CInt?
    /// The error number of a failed `socket`.
    var socketError: Int32 = 0
    /// The bytes of encoded content that were taken. libcurl's own count includes what it keeps during a pause, and
    /// lacks the piece that it is passing on; which of them depends on the version.
    var contentReceived = 0
    /// The bytes sent to a proxy to open a tunnel.
    var bytesSentBefore = 0
    /// The times at which the request began to leave, and at which its last byte had left.
    var sendBegan: Moment?
    var sendEnded: Moment?
    /// The round of the engine in which part of the response was last recorded.
    var notedRound = -1
    /// The time at which the first byte of the response arrived.
    var firstByteAt: Moment?

    var turns = TransferTurns()

    private let errorText: UnsafeMutablePointer<CChar>
    private let header = HeaderBlock()
    private var content: UnsafeMutableRawPointer?
    /// The length of the content to send.
    private(set) var contentCount = 0
    /// The part of it that had left at the last check.
    var uploaded = 0

    /// The use of a call's content when it has a sink.
    enum SinkStage {
        /// None has come yet.
        case waiting
        /// The sink takes it.
        case taking
        /// It belongs to a redirect that is followed.
        case dropping
    }

    /// Content up to this size is taken by the network at once; longer content is tracked until it has left.
    static let unwatchedContentMax = 16 << 10
    /// Content up to this size leaves libcurl together with the head; older versions count it with the head.
    static let countedWithHeadMax = (64 << 10) - 1

    /// Creates an unused transfer; nil when libcurl is out of memory.
    init?(engine: CurlEngine) {
        guard let easy = unsafe curl_easy_init() else { return nil }
        unsafe self.easy = unsafe easy
        self.engine = engine
        clocks = CallClocks(
            now: .now, connectTimeout: .zero, firstByteTimeout: .zero, stallTimeout: .zero,
            attemptUntil: .now)
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        setLasting()
        setCallbacks()
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe errorText.deallocate()
        unsafe content?.deallocate()
    }

    // MARK: Before

    /// Prepares the handle to carry `call` to `target`.
    func prepare(_ call: CurlCall, to target: CallTarget, now: Moment) {
        self.call = call
        self.target = target
        forgetProgress()
        let request = call.request
        let limits = engine.limits
        clocks = CallClocks(
            now: now, connectTimeout: request.connectTimeout, firstByteTimeout: request.firstByteTimeout,
            stallTimeout: request.stallTimeout,
            attemptUntil: call.began.advanced(by: request.attemptTimeout))
        collector.begin(limits, bodyBytesMax: max(0, request.answerBytesMax))
        sink = request.sink
        isProxied = engine.route.isPlain ? false : engine.route.apply(to: self, target: target)
        set(CURLOPT_URL, request.url)
        setRequestTarget(request.url)
        // Our own timeout fires first; libcurl needs the time to divide it among a host's addresses.
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, request.connectTimeout.wholeMilliseconds) + 1000)
        setMethod(request)
        header.fill(request)
        unsafe jobserver_easy_set_pointer(easy, CURLOPT_HTTPHEADER, header.list)
        let age =
            CallCheck.isIdempotent(request.method)
            ? limits.idleConnectionAgeMax : limits.idleConnectionAgeMaxForUnsafeCalls
        set(CURLOPT_MAXAGE_CONN, Int(age.components.seconds))
        guard call.purpose == .connection else { return }
        set(CURLOPT_CONNECT_ONLY, 1)
        set(CURLOPT_FRESH_CONNECT, 1)
        set(CURLOPT_FORBID_REUSE, 1)
    }

    /// Sets the request target where libcurl would omit an empty query: every version for a proxy, newer ones always.
    private func setRequestTarget(_ url: String) {
        var requestTarget: String?
        if isProxied, !target.isSecure {
            requestTarget = url
        } else if url.utf8.last == UInt8(ascii: "?"), let parts = try? URLParts(url) {
            requestTarget = "\(parts.path)?\(parts.query ?? "")"
        }
        if let requestTarget {
            set(CURLOPT_REQUEST_TARGET, requestTarget)
        } else if hasRequestTarget {
            unsafe jobserver_easy_set_pointer(easy, CURLOPT_REQUEST_TARGET, nil)
        }
        hasRequestTarget = requestTarget != nil
    }

    private func forgetProgress() {
        sinkStage = .waiting
        sourceOffset = 0
        contentFailure = nil
        decoder = nil
        knowsDecoder = false
        codingFault = nil
        peerTLS = nil
        stop = nil
        blocked = nil
        triedAllowedAddress = false
        opened = nil
        socketError = 0
        uploaded = 0
        bytesSentBefore = 0
        contentReceived = 0
        sendBegan = nil
        sendEnded = nil
        firstByteAt = nil
        notedRound = -1
        turns.begin()
        unsafe errorText[0] = 0
    }

    /// Detaches the call; the handle can carry another one.
    func release() {
        call?.transfer = nil
        call = nil
        turns.isPaused = false
        unsafe content?.deallocate()
        unsafe content = nil
        contentCount = 0
        sink = nil
        source = nil
        decoder = nil
        collector.forget()
    }

    private func setMethod(_ request: HTTPCall) {
        contentCount = 0
        if let source = request.source {
            self.source = source
            contentCount = max(0, source.byteCount)
            set(CURLOPT_POST, 1)
            setContentSize()
            unsafe jobserver_easy_set_pointer(easy, CURLOPT_POSTFIELDS, nil)
            set(CURLOPT_CUSTOMREQUEST, request.method)
        } else {
            setMethodAndBody(request)
        }
        set(CURLOPT_NOPROGRESS, contentCount > Self.unwatchedContentMax ? 0 : 1)
    }

    private func setMethodAndBody(_ request: HTTPCall) {
        switch (request.method, request.body) {
        case ("GET", nil):
            set(CURLOPT_HTTPGET, 1)
            unsafe jobserver_easy_set_pointer(easy, CURLOPT_CUSTOMREQUEST, nil)
        case ("HEAD", _):
            set(CURLOPT_HTTPGET, 1)
            set(CURLOPT_NOBODY, 1)
            unsafe jobserver_easy_set_pointer(easy, CURLOPT_CUSTOMREQUEST, nil)
        case ("POST", nil), ("PUT", nil), ("PATCH", nil):
            // These carry `Content-Length: 0` when they have no content (RFC 9110 §8.6).
            setContent([])
            set(CURLOPT_CUSTOMREQUEST, request.method)
        case (_, nil):
            set(CURLOPT_HTTPGET, 1)
            set(CURLOPT_CUSTOMREQUEST, request.method)
        case (_, let body?):
            setContent(body)
            set(CURLOPT_CUSTOMREQUEST, request.method)
        }
    }

    private func setContentSize() {
        unsafe jobserver_easy_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(contentCount))
    }

    /// Copies the content to stable memory until libcurl has sent it.
    private func setContent(_ body: [UInt8]) {
        unsafe content?.deallocate()
        let copy = UnsafeMutableRawPointer.allocate(byteCount: max(1, body.count), alignment: 16)
        unsafe body.withUnsafeBytes {
            unsafe UnsafeMutableRawBufferPointer(start: copy, count: $0.count).copyMemory(from: $0)
        }
        unsafe content = unsafe copy
        contentCount = body.count
        set(CURLOPT_POST, 1)
        setContentSize()
        unsafe jobserver_easy_set_pointer(easy, CURLOPT_POSTFIELDS, copy)
    }

    // MARK: Once

    private func setLasting() {
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        // The request sent must be the one shown and signed, dot segments included.
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_TCP_NODELAY, 1)
        // A look-up that outlives its call is left to its thread; otherwise libcurl would wait for it on the loop.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_DNS_CACHE_TIMEOUT, Int(engine.limits.addressLifetime.components.seconds))
        set(CURLOPT_USERAGENT, engine.settings.userAgent)
        engine.route.apply(to: self, authoritiesFile: engine.settings.authoritiesFile)
        unsafe jobserver_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    }

    func set(_ option: CURLoption, _ value: Int) {
        unsafe jobserver_easy_set_long(easy, option, value)
    }

    func set(_ option: CURLoption, _ value: String) {
        _ = unsafe value.withCString { unsafe jobserver_easy_set_pointer(easy, option, $0) }
    }

    // MARK: After

    /// libcurl's message about the failure, possibly empty.
    var words: String { unsafe String(cString: errorText) }

    /// A number from libcurl's report.
    func number(_ info: CURLINFO) -> Int {
        var value = 0
        _ = unsafe jobserver_easy_get_long(easy, info, &value)
        return value
    }

    /// A size or a time from libcurl's report; times are microseconds.
    func offset(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        _ = unsafe jobserver_easy_get_offset(easy, info, &value)
        return Int(value)
    }

    /// A text from libcurl's report; nil when there is none.
    func text(_ info: CURLINFO) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        _ = unsafe jobserver_easy_get_string(easy, info, &value)
        guard let value = unsafe value else { return nil }
        return unsafe String(cString: value)
    }
}

extension Duration {
    /// Whole milliseconds, rounded down, at most 24 days.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = min(self, .seconds(2_000_000)).components
        return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
