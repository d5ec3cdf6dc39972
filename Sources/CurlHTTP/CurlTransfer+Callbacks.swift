import CCurl
import Glibc
import HTTPMessage

/// The callbacks of libcurl. None of them may call into the multi handle.
extension CurlTransfer {
    /// Registers the callbacks, once per handle.
    func setCallbacks() {
        let this = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe jobserver_easy_set_pointer(easy, CURLOPT_PRIVATE, this)
        unsafe jobserver_easy_set_pointer(easy, CURLOPT_HEADERDATA, this)
        unsafe jobserver_easy_set_data_function(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, client in
            guard let transfer = unsafe TransferHandle.transfer(at: client) else { return 0 }
            let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            return unsafe transfer.takeLine(line) ? size * count : 0
        }
        unsafe jobserver_easy_set_pointer(easy, CURLOPT_WRITEDATA, this)
        unsafe jobserver_easy_set_data_function(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, client in
            guard let transfer = unsafe TransferHandle.transfer(at: client) else { return 0 }
            let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            return unsafe transfer.engine.pacer.pass(piece, to: transfer)
        }
        unsafe setContentCallbacks(this)
        unsafe jobserver_easy_set_pointer(easy, CURLOPT_XFERINFODATA, this)
        unsafe jobserver_easy_set_progress_function(easy) { client, _, _, _, uploaded in
            unsafe TransferHandle.transfer(at: client)?.noteUploaded(Int(uploaded))
            return 0
        }
        unsafe jobserver_easy_set_pointer(easy, CURLOPT_PREREQDATA, this)
        unsafe jobserver_easy_set_prepare_function(easy) { client, address, _, port, _ in
            guard let transfer = unsafe TransferHandle.transfer(at: client), let address = unsafe address
            else {
                return CURL_PREREQFUNC_ABORT
            }
            let goesOn = unsafe transfer.beginRequest(to: String(cString: address), port: Int(port))
            return goesOn ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        unsafe jobserver_easy_set_pointer(easy, CURLOPT_OPENSOCKETDATA, this)
        unsafe jobserver_easy_set_open_function(easy) { client, purpose, address in
            guard let transfer = unsafe TransferHandle.transfer(at: client), purpose == CURLSOCKTYPE_IPCXN,
                let address = unsafe address
            else { return jobserver_socket_bad }
            return unsafe transfer.open(address)
        }
        // A reused connection outlives this handle, so its end is reported to the engine.
        let engine = unsafe Unmanaged.passUnretained(self.engine).toOpaque()
        unsafe jobserver_easy_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, engine)
        unsafe jobserver_easy_set_close_function(easy) { client, descriptor in
            if let client = unsafe client {
                unsafe Unmanaged<CurlEngine>.fromOpaque(client).takeUnretainedValue().forget(descriptor)
            }
            return close(descriptor)
        }
    }

    private func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
        let isTaken = unsafe collector.takeLine(line)
        if collector.status == nil {
            clocks.waits(since: .now)
        } else {
            noteReceived()
        }
        return isTaken
    }

    /// Takes a piece of decoded content.
    func takeContent(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard collector.admit(piece.count) else { return false }
        if sink != nil { return unsafe pass(piece) }
        unsafe collector.keep(
            piece, announced: decoder == nil ? offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) : -1)
        return true
    }

    /// Records the time once per round of the engine, because the lines of a head come together.
    func noteReceived() {
        guard notedRound != engine.round else { return }
        notedRound = engine.round
        let now = Moment.now
        clocks.received(at: now)
        guard firstByteAt == nil else { return }
        firstByteAt = now
        engine.watchClock(clocks.nextDeadline)
    }

    private func noteUploaded(_ uploaded: Int) {
        guard sendBegan != nil, sendEnded == nil, uploaded > self.uploaded || contentCount == 0 else {
            return
        }
        self.uploaded = uploaded
        if uploaded >= contentCount {
            noteSent(at: .now)
        } else if firstByteAt == nil {
            clocks.sent(at: .now)
        }
    }

    private func noteSent(at now: Moment) {
        sendEnded = now
        clocks.finishedSending(at: now)
        engine.watchClock(clocks.nextDeadline)
    }

    /// Begins a request on an established connection, new or reused. Called again for one transfer when libcurl found a
    /// reused connection dead and repeats the request on another.
    private func beginRequest(to address: String, port: Int) -> Bool {
        guard let call else { return false }
        // A reused connection does not pass `open`, and the rules may have changed since it was opened.
        let known = engine.address(of: address)
        guard let reached = known, mayReach(reached, port) else {
            blocked = known
            triedAllowedAddress = false
            return false
        }
        if hasSentBytes, !CallCheck.isIdempotent(call.request.method) {
            stop = .resendRefused
            return false
        }
        if target.isSecure {
            peerTLS = unsafe PeerTLS(easy)
            if engine.route.route.httpVersion == .http2, peerTLS?.speaksHTTP2 != true {
                stop = .noHTTP2
                return false
            }
        }
        let speaksHTTP2 = peerTLS?.speaksHTTP2 ?? (engine.route.route.httpVersion == .http2)
        engine.note(isMultiplexed: speaksHTTP2, of: call, on: opened)
        if sendBegan == nil, isProxied { bytesSentBefore = number(CURLINFO_REQUEST_SIZE) }
        let now = Moment.now
        sendBegan = now
        sendEnded = nil
        uploaded = 0
        clocks.sent(at: now)
        if contentCount <= Self.unwatchedContentMax {
            noteSent(at: now)
        } else {
            engine.watchClock(clocks.nextDeadline)
        }
        return true
    }

    private func mayReach(_ address: IPAddress, _ port: Int) -> Bool {
        engine.settings.allows(address, port) || engine.route.opens(address)
    }

    /// Opens a socket for the exact address that libcurl is about to connect to, if the egress rules allow it.
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        guard let place = unsafe SocketAddress.read(address) else { return jobserver_socket_bad }
        guard mayReach(place.address, place.port) else {
            blocked = place.address
            return jobserver_socket_bad
        }
        triedAllowedAddress = true
        let kind = unsafe address.pointee.socktype | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = unsafe socket(address.pointee.family, kind, address.pointee.protocol)
        guard descriptor >= 0 else {
            socketError = errno
            return jobserver_socket_bad
        }
        engine.adopt(descriptor)
        opened = descriptor
        return descriptor
    }
}
