import HTTPMessage

extension HTTPConnection {
    /// Takes the service's answer. An answer out of turn waits for the earlier ones.
    func take(_ response: HTTPResponse, for exchange: HTTPExchange) {
        guard state == .open, !pending.isEmpty else {
            response.body.cancel()
            return
        }
        if stream == nil, pending.first.exchange === exchange {
            let form = pending.first.form
            pending.removeFirst()
            write(response, form)
            writeAnswers()
        } else if !pending.store(response, for: exchange) {
            response.body.cancel()
        }
    }

    /// Writes all answers whose turn it is.
    func writeAnswers() {
        while stream == nil, !pending.isEmpty, let response = pending.first.response {
            let form = pending.first.form
            pending.removeFirst()
            write(response, form)
        }
        sendContinueInTurn()
        wantFlush()
    }

    /// Sends `100 Continue` for the latest request as soon as the answers before it have been written.
    func sendContinueInTurn() {
        guard owesContinue, pending.isEmpty, stream == nil else { return }
        owesContinue = false
        output.append { HTTPResponseWriter.appendContinue(to: &$0) }
        wantFlush()
    }

    /// Writes an answer whose turn it is.
    func write(_ response: HTTPResponse, _ form: AnswerForm) {
        if listener.isDraining && isLastAnswer { isReadingOver = true }
        var framing = HTTPResponseFraming.none
        let keepsAlive = !(form.isLast || isReadingOver && pending.isEmpty)
        output.append { bytes in
            framing = HTTPResponseWriter.appendHead(
                of: response, isHead: form.isHead, minorVersion: form.minorVersion, keepAlive: keepsAlive,
                dateLine: listener.dateLine, to: &bytes)
        }
        switch (response.body, framing) {
        case (.empty, _): break
        case (.bytes, .none): break
        case (.bytes(let bytes), _): output.append(bytes, holding: response.hold)
        case (.stream(_, let source), .none): source.cancel()
        case (.stream(_, let source), _): begin(source, framing)
        }
        if clocks.phase == .idle { clocks.enter(.idle, now: listener.now) }
    }

    /// Whether nothing of a further request has arrived.
    private var isLastAnswer: Bool {
        pending.isEmpty && carry.isEmpty && incoming == nil && clocks.phase != .head
    }

    // MARK: Streams

    private func begin(_ source: any HTTPBodySource, _ framing: HTTPResponseFraming) {
        if framing == .untilClose { dropRequests() }
        let stream = AnswerStream(source: source, framing: framing)
        self.stream = stream
        stream.task = Task(executorPreference: listener.loop) { await self.pump(stream) }
    }

    /// Drops further requests, since the close of the connection will mark the end of an answer.
    private func dropRequests() {
        isReadingOver = true
        takeIncoming()
        carry = []
        for item in pending.removeAll() {
            item.exchange?.abandon()
            item.response?.body.cancel()
        }
    }

    /// Sends the content of a source as fast as the client reads it. Runs on the loop.
    private func pump(_ stream: AnswerStream) async {
        do {
            while let chunk = try await stream.source.next() {
                guard send(chunk, of: stream) else { return }
                if output.count >= listener.limits.outputBytesHigh { await stream.waitForRoom() }
            }
            end(stream)
        } catch {
            // A partial answer cannot be withdrawn; only a reset tells the client that it is incomplete.
            if self.stream === stream { abort() }
        }
    }

    private func send(_ chunk: [UInt8], of stream: AnswerStream) -> Bool {
        guard self.stream === stream else { return false }
        if let left = stream.bytesLeft {
            guard chunk.count <= left else {
                abort()
                return false
            }
            stream.bytesLeft = left - chunk.count
        }
        guard !chunk.isEmpty else { return true }
        if stream.isChunked {
            output.append { HTTPResponseWriter.appendChunkHead(length: chunk.count, to: &$0) }
            output.append(chunk)
            output.append { $0.append(contentsOf: "\r\n".utf8) }
        } else {
            output.append(chunk)
        }
        wantFlush()
        return true
    }

    private func end(_ stream: AnswerStream) {
        guard self.stream === stream else { return }
        self.stream = nil
        guard (stream.bytesLeft ?? 0) == 0 else {
            abort()
            return
        }
        if stream.isChunked { output.append { HTTPResponseWriter.appendLastChunk(to: &$0) } }
        if clocks.phase == .idle { clocks.enter(.idle, now: listener.now) }
        writeAnswers()
    }

    // MARK: Sending

    /// Sends as much of the output as the system accepts, and resumes what waited for that.
    func flush() {
        guard state == .open else { return }
        if !output.isEmpty && !sendOutput() {
            abort()
            return
        }
        if output.count <= listener.limits.outputBytesLow {
            stream?.resume()
            if isReadingPaused && !isFull {
                isReadingPaused = false
                readLater()
            }
        }
        guard output.isEmpty && pending.isEmpty && stream == nil else { return }
        if isReadingOver {
            finish()
        } else if listener.isDraining {
            closeIfIdle()
        }
    }

    /// Sends output. Returns false when the socket is broken.
    private func sendOutput() -> Bool {
        var isBroken = false
        let sent = output.drain { bytes, start, hasMore in
            switch socket.write(bytes, from: start, hasMore: hasMore) {
            case .bytes(let count): return count
            case .wouldBlock: return 0
            case .end, .failed:
                isBroken = true
                return 0
            }
        }
        clocks.countOutput(sent: sent, waiting: output.count, now: listener.now)
        return !isBroken
    }

    /// Shuts down the sending side after the last answer and waits for the client's close.
    private func finish() {
        socket.endWriting()
        if hasPeerEnded {
            abort()
            return
        }
        state = .lingering
        drainedBytes = 0
        clocks.enter(.linger, now: listener.now)
        read()
    }
}
