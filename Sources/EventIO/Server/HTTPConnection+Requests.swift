import HTTPMessage

extension HTTPConnection {
    /// The memory reserved for a body before any of it has arrived.
    private static let bodyReserveMax = 64 << 10

    /// Asks the service to admit a request whose head has arrived.
    func begin(_ head: HTTPRequestHead, hasBodyBytes: Bool) {
        requestCount += 1
        clocks.enter(.body, now: listener.now)
        switch listener.service.admit(head, from: peer) {
        case .accept(let handler, let sink, let bodyBytesMax):
            if let length = head.contentLength, length > bodyBytesMax {
                return refuse(head, tooLarge: bodyBytesMax)
            }
            receive(
                IncomingRequest(head: head, handler: handler, sink: sink, bodyBytesMax: bodyBytesMax),
                hasBodyBytes: hasBodyBytes)
        case .refuse(let response):
            refuse(head, with: response)
        }
    }

    /// Begins to read the body of an admitted request.
    private func receive(_ request: IncomingRequest, hasBodyBytes: Bool) {
        if request.sink == nil, let length = request.head.contentLength {
            request.body.reserveCapacity(min(length, HTTPConnection.bodyReserveMax))
        }
        incoming = request
        if request.head.expectsContinue && !hasBodyBytes {
            owesContinue = true
            sendContinueInTurn()
        }
    }

    /// Adds a piece of a body.
    func add(_ bytes: Span<UInt8>) {
        guard incoming != nil else { return }
        owesContinue = false
        clocks.countBody(bytes.count, now: listener.now)
        let total = max((incoming?.byteCount ?? 0) + bytes.count, parser.announcedBodyBytes)
        let isTooLarge = total > incoming?.bodyBytesMax ?? .max
        if incoming?.isDiscarded == true {
            drainedBytes += bytes.count
            if drainedBytes > listener.limits.drainedBytesMax, !answerRefusal() { endReading() }
        } else if isTooLarge, let head = incoming?.head, let limit = incoming?.bodyBytesMax {
            refuse(head, tooLarge: limit)
        } else if let sink = incoming?.sink, let head = incoming?.head {
            incoming?.sunkBytes += bytes.count
            if let refusal = sink.take(bytes) { refuse(head, with: refusal) }
        } else if let refusal = listener.bodies.take(bytes.count, for: bodyOwner) {
            refuse(refusal)
        } else {
            incoming?.append(bytes)
        }
    }

    /// Refuses a body whose announced chunk exceeds the limit, before the chunk arrives.
    func refuseAnnouncedBody() {
        guard parser.announcedBodyBytes > incoming?.bodyBytesMax ?? .max, incoming?.isDiscarded == false,
            let head = incoming?.head, let limit = incoming?.bodyBytesMax
        else { return }
        refuse(head, tooLarge: limit)
    }

    /// Drops the request being read, if there is one.
    @discardableResult
    func takeIncoming() -> IncomingRequest? {
        owesContinue = false
        guard let request = incoming.take() else { return nil }
        listener.bodies.release(request.body.count, of: bodyOwner)
        return request
    }

    /// The client whose part of the memory for bodies is limited; nil when it is not.
    private var bodyOwner: IPAddress? { hasBodyShare ? peer.address : nil }

    /// Hands a complete request to the service.
    func complete() {
        clocks.enter(.idle, now: listener.now)
        guard let request = takeIncoming() else { return }
        if isLast(request.head) { isReadingOver = true }
        var form = AnswerForm(request.head)
        if let refusal = request.refusal {
            form.isLast = isLast(request.head)
            answer(refusal, form)
        }
        guard let handler = request.handler else { return }
        let exchange = HTTPExchange(
            request: HTTPRequest(head: request.head, body: request.body), sink: request.sink, connection: self
        )
        pending.append(PendingAnswer(exchange: exchange, response: nil, form: form))
        handler.handle(exchange)
    }

    /// Whether the connection closes after a request.
    private func isLast(_ head: HTTPRequestHead) -> Bool {
        !head.keepAlive || requestCount >= listener.limits.requestsPerConnectionMax
    }

    // MARK: Refusing

    /// Answers a malformed request, and closes afterwards.
    func refuse(_ refusal: ListenerRefusal) {
        if answerRefusal() { return }
        let head = incoming?.head
        let form = head.map { AnswerForm($0) } ?? AnswerForm()
        let isAnswered = incoming?.isDiscarded ?? false
        endReading()
        if !isAnswered { answer(listener.service.answer(to: refusal, of: head, from: peer), form) }
    }

    private func refuse(_ head: HTTPRequestHead, tooLarge limit: Int) {
        refuse(head, with: listener.service.answer(to: .tooLarge(limit), of: head, from: peer))
    }

    /// Answers a request without reading its body, which is discarded if it is small, or else ends the reading. The end
    /// of a chunked body is not known: it counts as small when it is in what has come.
    private func refuse(_ head: HTTPRequestHead, with response: HTTPResponse) {
        let rest = head.contentLength ?? listener.limits.drainedBytesMax
        if head.expectsContinue || rest > listener.limits.drainedBytesMax {
            endReading()
        } else {
            drainedBytes = 0
            takeIncoming()
            incoming = IncomingRequest(head: head, handler: nil, bodyBytesMax: 0)
            if head.framing == .chunked {
                incoming?.refusal = response
                return
            }
        }
        var form = AnswerForm(head)
        form.isLast = isLast(head)
        answer(response, form)
    }

    /// Answers a refused body whose end is not in what has come, and reads no more of it.
    @discardableResult
    func answerRefusal() -> Bool {
        guard let refusal = incoming?.refusal, let head = incoming?.head else { return false }
        endReading()
        answer(refusal, AnswerForm(head))
        return true
    }

    private func endReading() {
        isReadingOver = true
        takeIncoming()
        carry = []
        clocks.enter(.idle, now: listener.now)
    }

    private func answer(_ response: HTTPResponse, _ form: AnswerForm) {
        guard pending.isEmpty, stream == nil else {
            return pending.append(PendingAnswer(exchange: nil, response: response, form: form))
        }
        write(response, form)
        writeAnswers()
    }
}

extension AnswerForm {
    init(_ head: HTTPRequestHead) {
        isHead = head.method == .head
        minorVersion = head.minorVersion
    }
}

extension IncomingRequest {
    /// The number of bytes of the body that have arrived.
    var byteCount: Int { body.count + sunkBytes }

    func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe body.append(contentsOf: $0) }
    }
}
