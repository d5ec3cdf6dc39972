import HTTPMessage

extension HTTPConnection {
    /// The number of socket reads per turn before other connections have their turn.
    private static let readsPerTurnMax = 4

    /// Reads and parses the available input.
    func read() {
        // The time in which a sink held its body back is not the client's.
        if isReadingPaused, incoming != nil { clocks.enter(.body, now: listener.now) }
        isReadingPaused = false
        requestCountBefore = requestCount
        if state == .lingering {
            readLingering()
            return
        }
        if !carry.isEmpty {
            var bytes: [UInt8] = []
            swap(&bytes, &carry)
            parse(bytes.span)
        }
        for _ in 0..<HTTPConnection.readsPerTurnMax {
            guard !isReadingOver, !isReadingPaused, mayHaveMore, !hasHadItsTurn else { break }
            readOnce()
        }
        if state == .open, !isReadingOver, !isReadingPaused, mayHaveMore || !carry.isEmpty { readLater() }
    }

    private func readOnce() {
        let buffer = unsafe listener.readBuffer
        switch unsafe socket.read(into: buffer) {
        case .bytes(let count):
            // A short read from a plain socket has emptied it.
            mayHaveMore = count == buffer.count || isEndNear || socket.tls != nil
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
            unsafe parse(Span(_unsafeBytes: bytes))
        case .wouldBlock:
            mayHaveMore = false
        case .end:
            mayHaveMore = false
            hasPeerEnded = true
            if incoming != nil || parser.hasPartOfHead { refuse(.incomplete) }
            isReadingOver = true
        case .failed:
            abort()
        }
    }

    /// Reads and discards until the client closes, too, or has sent too much.
    private func readLingering() {
        while state == .lingering {
            switch unsafe socket.read(into: listener.readBuffer) {
            case .bytes(let count):
                drainedBytes += count
                if drainedBytes > listener.limits.drainedBytesMax { abort() }
            case .wouldBlock:
                return
            case .end, .failed:
                abort()
            }
        }
    }

    /// Whether reading must pause: within a body while its sink holds it back, otherwise while answers wait.
    var isFull: Bool {
        if let incoming { return incoming.sink?.backpressure?.isOn ?? false }
        return pending.count >= listener.limits.pipelinedRequestsMax
            || output.count >= listener.limits.outputBytesHigh
    }

    /// Whether enough requests were read in this turn that others must have theirs first.
    private var hasHadItsTurn: Bool {
        requestCount - requestCountBefore >= listener.limits.requestsPerTurnMax
    }

    private func parse(_ input: Span<UInt8>) {
        var position = 0
        while !isReadingOver {
            let isFull = isFull
            if isFull || incoming == nil && hasHadItsTurn && position < input.count {
                isReadingPaused = isFull
                keep(input, from: position)
                if isFull { goOnWhenSinkMay() }
                return
            }
            switch parser.next(input, from: &position) {
            case .needMore:
                refuseAnnouncedBody()
                answerRefusal()
                let isAtRest = clocks.phase == .idle || clocks.phase == .opening
                if isAtRest && parser.isInsideHead { clocks.enter(.head, now: listener.now) }
                return
            case .head(let head): begin(head, hasBodyBytes: position < input.count)
            case .body(let range): add(input.extracting(range))
            case .end:
                complete()
                if position == input.count, !self.isFull { return }
            case .failure(let failure): refuse(ListenerRefusal(failure))
            }
        }
    }

    /// Reads on as soon as the sink of the body takes more.
    private func goOnWhenSinkMay() {
        incoming?.sink?.backpressure?.whenOff { [self] in
            listener.loop.execute { [self] in
                guard isReadingPaused, state == .open else { return }
                // It may be held back again by now.
                if isFull { goOnWhenSinkMay() } else { readLater() }
            }
        }
    }

    private func keep(_ input: Span<UInt8>, from position: Int) {
        let rest = input.extracting(droppingFirst: position)
        unsafe rest.withUnsafeBufferPointer { unsafe carry.append(contentsOf: $0) }
    }
}
