import HTTPMessage
import JobJournal
import JobKit
import StrictJSON
import Testing

@Suite struct `A journal entry` {
    static let at = Timestamp(milliseconds: 1_795_255_204_120)

    static let error: AOperationError = {
        var cause = AOperationError(.httpStatus, detail: "inner")
        cause.upstream = .init(
            status: 503, headers: JSONObject([("retry-after", "3")]), bodyExcerpt: "busy \u{0}\n\"é\"")
        var error = AOperationError(
            .dependencyFailed, title: "A title", detail: "What to do", state: .condition, publisher: "charge",
            retryable: true, causes: [cause])
        error.path = ["nightly", "charge"]
        error.attempt = 3
        error.at = at
        error.publishedError = .init(
            domain: "http", code: 503, description: "Service Unavailable", failureReason: "busy",
            recoverySuggestion: "wait", info: JSONObject([("a", [1, .null])]))
        error.phase = "receive"
        error.delivery = "answered"
        error.retryStoppedBy = "attempts"
        error.timing = JSONObject([("dns", 1), ("total", .number(JSONNumber(checkedText: "12.25")))])
        return error
    }()

    static let exchange: HTTPCallExchange = {
        var exchange = HTTPCallExchange()
        exchange.lineMilliseconds = 12.5
        exchange.dnsMilliseconds = 0.1
        exchange.totalMilliseconds = 1.0 / 3
        exchange.peer = "[2001:db8::1]:443"
        exchange.protocolName = "HTTP/1.1"
        exchange.bytesSent = 120
        exchange.bytesReceived = 4_096
        exchange.reusedConnection = true
        exchange.redirects = 2
        exchange.effectiveURL = "https://example.com/b"
        return exchange
    }()

    static let result = OperationResult(
        status: 200, headers: [.init(name: "set-x", value: "1"), .init(name: "set-x", value: "2")],
        contentType: "text/plain", body: Array("grüße \u{1F600}".utf8))

    static let events: [JournalEntry.Event] = [
        .started,
        .attemptStarted(number: 1, method: "POST", url: "https://example.com/a?b=c"),
        .attemptStarted(number: 2, method: nil, url: nil),
        .attemptFinished(
            AttemptRecord(
                number: 1, startedAt: at, finishedAt: at.advanced(by: .seconds(1)), outcome: .failed,
                status: 503,
                exchange: exchange, error: error, nextAttemptAt: at.advanced(by: .seconds(2)))),
        .attemptFinished(AttemptRecord(number: 7, startedAt: at, finishedAt: at, outcome: .interrupted)),
        .leftOut(attempts: 14, polls: 12),
        .waiting(OperationWait(until: .never, reason: .delay)),
        .waiting(OperationWait(until: at, reason: .retry)),
        .waiting(OperationWait(reason: .signal, key: "paid")),
        .noted(name: "polls", value: .object(JSONObject(uniqueMembers: [.init(name: "n", value: .null)]))),
        .noted(name: "", value: .null),
        .took(message: 3), .took(message: 4, bytes: 9),
        .message(JobMessage(by: "ada", content: .signal(name: "paid", value: .bool(true)))),
        .message(JobMessage(by: "ada", content: .signal(name: "paid", value: .null))),
        .approvalRequested(Samples.approval),
        .approvalExpired(Samples.approval.id, isApproved: true),
        .message(JobMessage(by: "bob", content: .approval(id: "apr_1", isApproved: false, comment: "no"))),
        .message(JobMessage(by: "bob", content: .approval(id: "apr_1", isApproved: true, comment: nil))),
        .message(JobMessage(by: "", content: .member(group: ["a", "b"], spec: .string("x")))),
        .message(JobMessage(by: "", content: .member(group: [], spec: .array([])))),
        .message(JobMessage(by: "", content: .hold(reason: "later"))),
        .message(JobMessage(by: "", content: .release)),
        .finished(OperationEnding(state: .succeeded, result: result)),
        .finished(OperationEnding(state: .succeeded, result: .empty)),
        .finished(
            OperationEnding(
                state: .succeeded,
                result: OperationResult(
                    status: nil, headers: [], contentType: "application/octet-stream",
                    body: [0, 255, 128, 10]))),
        .finished(OperationEnding(state: .failed, errors: [error, error], abandoned: true)),
        .cancelRequested(by: "ada", reason: nil),
        .cancelRequested(by: "", reason: "wrong day"),
        .retried(by: "token:ops"),
    ]

    @Test(arguments: events)
    func `comes back from its bytes exactly`(event: JournalEntry.Event) throws {
        for path in [[], ["a", "b-1"]] {
            let entry = JournalEntry(at: Self.at, path: path, event: event)
            #expect(try JournalEntry(decoding: entry.encoded()) == entry)
        }
    }

    @Test func `is one readable JSON object`() {
        let entry = JournalEntry(
            at: Self.at, path: ["a"], event: .waiting(OperationWait(until: Self.at, reason: .retry)))
        let text = String(decoding: entry.encoded(), as: UTF8.self)
        #expect(
            text
                == #"{"at":1795255204120,"path":["a"],"event":"waiting","#
                + #""until":1795255204120,"reason":"retry"}"#
        )
    }

    @Test(arguments: [
        ("", "not JSON"), ("[]", "an array"), ("{}", "no time"), (#"{"at":1}"#, "event"),
        (#"{"at":1,"event":"dreamt"}"#, "dreamt"), (#"{"at":1,"event":"waiting"}"#, "reason"),
        (#"{"at":1,"event":"message","message":{"kind":"gossip"}}"#, "gossip"),
        (#"{"at":1,"event":"retried","by":3}"#, "a number, not a string"),
        (#"{"at":1,"event":"finished","ending":{"state":"done"}}"#, "done"),
        (#"{"at":1,"path":[1],"event":"started"}"#, "list of strings"),
        (#"{"at":1,"event":"finished","ending":{"state":"failed","result":{"body_base64":"?"}}}"#, "damaged"),
    ])
    func `reports damaged bytes`(text: String, hint: String) {
        let error = #expect(throws: StoredFormError.self) { try JournalEntry(decoding: Array(text.utf8)) }
        #expect(error?.detail.contains(hint) == true, "\(error?.detail ?? "")")
    }

    @Test func `passes over members of a newer program`() throws {
        let text = #"{"at":5,"path":[],"event":"retried","by":"ada","colour":"blue"}"#
        #expect(
            try JournalEntry(decoding: Array(text.utf8))
                == JournalEntry(at: Timestamp(milliseconds: 5), path: [], event: .retried(by: "ada")))
    }
}

@Suite struct `An operation error` {
    @Test func `is served with every member, null where nothing is known`() throws {
        var writer = JSONWriter()
        AOperationError(.httpStatus, title: "T", detail: "D").write(to: &writer)
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"code":"http.status","title":"T","detail":"D","state":"execution","publisher":null,"#
                + #""path":[],"operation":null,"attempt":null,"at":null,"published_error":null,"phase":null,"delivery":null,"#
                + #""retryable":false,"retry_stopped_by":null,"upstream":null,"timing":null,"causes":[]}"#)
    }

    @Test func `is served with times as RFC 3339 and its origin untouched`() throws {
        var writer = JSONWriter()
        `A journal entry`.error.write(to: &writer)
        let json = try JSONParser.parse(writer.bytes)
        #expect(json.object?["at"] == "2026-11-21T10:00:04.120Z")
        #expect(json.object?["path"] == ["nightly", "charge"])
        #expect(json.object?["operation"] == "charge")
        #expect(json.object?["published_error"]?.object?["failure_reason"] == "busy")
        #expect(json.object?["causes"]?.array?.count == 1)
        #expect(try AOperationError(json: json) == `A journal entry`.error)
    }
}

@Suite struct `An attempt` {
    @Test func `is served with its phases in milliseconds and its delivery`() throws {
        var writer = JSONWriter()
        let at = `A journal entry`.at
        AttemptRecord(
            number: 2, startedAt: at, finishedAt: at, outcome: .succeeded, status: 200,
            exchange: `A journal entry`.exchange
        ).write(to: &writer)
        let json = try JSONParser.parse(writer.bytes).object
        #expect(json?["phases"]?.object?["dns"] == .number(JSONNumber(checkedText: "0.1")))
        #expect(json?["phases"]?.object?["tls"] == .null)
        #expect(json?["phases"]?.object?["line"] == .number(JSONNumber(checkedText: "12.5")))
        #expect(json?["delivery"] == "answered")
        #expect(json?["retried"] == false)
        #expect(json?["next_attempt_at"] == .null)
        #expect(json?["protocol"] == "HTTP/1.1")
    }

    @Test func `has no time in line when its call did not wait there`() throws {
        var writer = JSONWriter()
        let at = `A journal entry`.at
        var exchange = `A journal entry`.exchange
        exchange.lineMilliseconds = nil
        let attempt = AttemptRecord(
            number: 1, startedAt: at, finishedAt: at, outcome: .succeeded, exchange: exchange)
        attempt.write(to: &writer)
        let json = try JSONParser.parse(writer.bytes)
        #expect(json.object?["phases"]?.object?["total"] != nil)
        #expect(json.object?["phases"]?.object?["line"] == nil)
        #expect(try AttemptRecord(json: json).exchange == exchange)
    }

    @Test func `without a call has null in place of the wire's members`() throws {
        var writer = JSONWriter()
        let at = `A journal entry`.at
        AttemptRecord(number: 1, startedAt: at, finishedAt: at, outcome: .cancelled).write(to: &writer)
        let json = try JSONParser.parse(writer.bytes).object
        for name in ["status", "phases", "peer", "bytes_sent", "reused_connection", "delivery", "error"] {
            #expect(json?[name] == .null, "\(name)")
        }
    }
}

@Suite struct `Base 64` {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `follows the vectors of RFC 4648`(plain: String, coded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == Array(coded.utf8))
        #expect(Base64.decode(coded.utf8) == Array(plain.utf8))
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm9v\n", "Zm-v", "====", "Z===", "Zg==Zg==",
    ])
    func `refuses ambiguous input`(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }
}

private enum Samples {
    static var approval: ApprovalRequest {
        var question = ApprovalQuestion(prompt: "Pay?")
        question.audience = "finance"
        question.onTimeout = .approve
        return ApprovalRequest(
            id: ApprovalID(bits: JobID(high: 0x019A_0000_0000_7000, low: 0x8000_0000_0000_0001)),
            question: question, request: JSONObject([("method", "POST")]), digest: "sha256:1",
            expiresAt: Timestamp(milliseconds: 1_800_000_000_000))
    }
}
