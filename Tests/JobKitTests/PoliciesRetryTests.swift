import HTTPMessage
@testable import JobKit
import StrictJSON
import Testing

@Suite struct `The wait between attempts` {
    private func waits(_ backoff: RetrySpec.Backoff, _ count: Int = 5) -> [Duration] {
        let spec = RetrySpec(attemptsMax: 100, backoff: backoff, jitter: .none)
        return (2..<(2 + count)).map { spec.delay(beforeAttempt: $0) }
    }

    @Test func `follows the backoff, the first value before attempt 2`() {
        #expect(waits(.fixed(.seconds(5)), 3) == [.seconds(5), .seconds(5), .seconds(5)])
        #expect(
            waits(.linear(initial: .seconds(1), step: .seconds(2), max: .seconds(6)), 4)
                == [.seconds(1), .seconds(3), .seconds(5), .seconds(6)])
        #expect(
            waits(.exponential(initial: .seconds(1), factor: 2, max: .seconds(5)), 4)
                == [.seconds(1), .seconds(2), .seconds(4), .seconds(5)])
        #expect(
            waits(.schedule([.seconds(5), .seconds(60)]), 3) == [.seconds(5), .seconds(60), .seconds(60)])
        #expect(waits(.schedule([]), 1) == [.zero])
        #expect(
            waits(.exponential(initial: .zero, factor: 100, max: .seconds(5)), 99).allSatisfy { $0 == .zero })
    }

    @Test func `never exceeds the server's longest wait`() {
        let long = Duration.seconds(366 * 86_400)
        #expect(waits(.exponential(initial: long, factor: 100, max: long), 98).allSatisfy { $0 == long })
        #expect(waits(.linear(initial: long, step: long, max: long * 10), 98).allSatisfy { $0 == long })
    }

    @Test func `is spread by the jitter within its bounds`() {
        var least: [RetrySpec.Jitter: Duration] = [:]
        for jitter in RetrySpec.Jitter.allCases {
            let spec = RetrySpec(attemptsMax: 5, backoff: .fixed(.seconds(10)), jitter: jitter)
            let waits = (0..<500).map { _ in spec.delay(beforeAttempt: 2) }
            #expect(waits.allSatisfy { $0 >= .zero && $0 <= .seconds(10) })
            least[jitter] = waits.min()
        }
        #expect(least[.none] == .seconds(10))
        #expect((least[.equal] ?? .zero) >= .seconds(5))
        #expect((least[.full] ?? .seconds(9)) < .seconds(2))
    }
}

@Suite struct `The retry decision` {
    static let now = Timestamp(milliseconds: 1_795_255_200_000)

    private func answered(_ status: Int, headers: [(String, JSONValue)] = []) -> AOperationError {
        var error = AOperationError(
            .httpStatus, detail: "x", retryable: [408, 425, 429].contains(status) || status >= 500)
        error.delivery = "answered"
        error.upstream = .init(status: status, headers: JSONObject(headers), bodyExcerpt: nil)
        return error
    }

    private func failed(_ code: String, _ delivery: HTTPCallDelivery) -> AOperationError {
        AOperationError(
            callFailure: HTTPCallFailure(code: code, detail: "x", phase: .connect, delivery: delivery))
    }

    private func decide(
        _ error: AOperationError, _ method: HTTPMethod, attempt: Int = 1, unsafe: Bool = false,
        hasKey: Bool = false
    ) -> RetryVerdict {
        RetryDecision.decide(
            error: error, method: method,
            spec: RetrySpec(
                attemptsMax: 5, backoff: .fixed(.seconds(7)), jitter: .none, repeatsUnsafeMethods: unsafe),
            situation: .init(attempts: attempt, startedAt: Self.now, now: Self.now), hasIdempotencyKey: hasKey
        )
    }

    private let again = RetryVerdict.retry(after: .seconds(7))

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 599, 600, 999])
    func `repeats safe and idempotent methods after passing answers`(status: Int) {
        for method in [HTTPMethod.get, .head, .options, .put, .delete] {
            #expect(decide(answered(status), method) == again)
        }
    }

    @Test(arguments: [400, 401, 403, 404, 409, 410, 422])
    func `does not repeat permanent refusals`(status: Int) {
        #expect(decide(answered(status), .get) == .stop("policy"))
    }

    @Test func `repeats POST and PATCH only when nothing can have happened`() {
        for method in [HTTPMethod.post, .patch] {
            #expect(decide(failed("connect.refused", .notSent), method) == again)
            #expect(decide(answered(429), method) == again)
            #expect(decide(answered(503), method) == again)
            #expect(decide(answered(500), method) == .stop("unsafe_method"))
            #expect(decide(answered(502), method) == .stop("unsafe_method"))
            #expect(decide(failed("timeout.first_byte", .sentUnknown), method) == .stop("unsafe_method"))
            #expect(decide(failed("timeout.first_byte", .sentUnknown), method, hasKey: true) == again)
            #expect(decide(answered(500), method, unsafe: true) == again)
        }
    }

    @Test(arguments: [
        ("connect.refused", true), ("connect.reset", true), ("connect.unreachable", true),
        ("dns.failed", true),
        ("dns.not_found", true), ("timeout.connect", true), ("timeout.first_byte", true),
        ("timeout.attempt", true),
        ("tls.handshake", true), ("body.truncated", true), ("http.protocol", true),
        ("tls.certificate_expired", false),
        ("tls.hostname_mismatch", false), ("egress.blocked", false), ("body.too_large", false),
        ("http.redirect", false),
        ("http.url", false),
    ])
    func `distinguishes transient from permanent failures`(code: String, mayPass: Bool) {
        #expect(decide(failed(code, .notSent), .get) == (mayPass ? again : .stop("policy")))
    }

    @Test func `counts all attempts`() {
        #expect(decide(answered(503), .get, attempt: 4) == again)
        #expect(decide(answered(503), .get, attempt: 5) == .stop("attempts"))
    }

    @Test func `never repeats a cancelled call`() {
        #expect(decide(failed("cancelled.transport", .sentUnknown), .get, unsafe: true) == .stop("cancelled"))
    }

    @Test func `respects Retry-After in seconds and as a date, up to an hour`() {
        #expect(decide(answered(503, headers: [("retry-after", "30")]), .get) == .retry(after: .seconds(30)))
        #expect(decide(answered(503, headers: [("retry-after", "2")]), .get) == again)
        #expect(
            decide(answered(429, headers: [("retry-after", "86400")]), .post)
                == .retry(after: .seconds(3_600)))
        #expect(
            decide(answered(503, headers: [("retry-after", "Sat, 21 Nov 2026 10:01:00 GMT")]), .get)
                == .retry(after: .seconds(60)))
        #expect(decide(answered(503, headers: [("retry-after", "soon")]), .get) == again)
        #expect(decide(answered(503, headers: [("retry-after", "-5")]), .get) == again)
    }

    @Test func `respects the renewal of a language model's quota`() {
        func wait(_ remaining: JSONValue, _ reset: JSONValue) -> RetryVerdict {
            let headers = [
                ("anthropic-ratelimit-tokens-remaining", remaining),
                ("anthropic-ratelimit-tokens-reset", reset),
            ]
            return decide(answered(429, headers: headers), .post)
        }
        #expect(wait("0", "2026-11-21T10:00:45.5Z") == .retry(after: .milliseconds(45_500)))
        #expect(wait("0", "2026-11-21T11:00:45+01:00") == .retry(after: .seconds(45)))
        #expect(wait("0", "2026-11-22T10:00:00Z") == .retry(after: .seconds(3_600)))
        #expect(wait("0", "2026-11-21T09:00:00Z") == again)
        #expect(wait("1", "2026-11-21T10:00:45Z") == again)
        #expect(wait("0", "2026-13-21T10:00:45Z") == again)
    }

    private func decide(
        _ error: AOperationError, _ method: HTTPMethod = .get, _ change: (inout RetrySpec) -> Void
    )
        -> RetryVerdict
    {
        var spec = RetrySpec(attemptsMax: 5, backoff: .fixed(.seconds(7)), jitter: .none)
        change(&spec)
        return RetryDecision.decide(
            error: error, method: method, spec: spec,
            situation: .init(attempts: 1, startedAt: Self.now.advanced(by: .seconds(-100)), now: Self.now),
            hasIdempotencyKey: false)
    }

    @Test(arguments: [501, 505, 506, 507, 508, 510, 511])
    func `knows the statuses of class 5 that will not change`(status: Int) {
        let answer = HTTPCallAnswer(status: status, fields: [], body: [], exchange: HTTPCallExchange())
        #expect(!AOperationError(.httpStatus, title: "x", detail: "x", answer: answer).retryable)
        for status in [599, 600, 999] {
            let other = HTTPCallAnswer(status: status, fields: [], body: [], exchange: HTTPCallExchange())
            #expect(AOperationError(.httpStatus, title: "x", detail: "x", answer: other).retryable)
        }
    }

    @Test func `follows the rule's "on" and "never"`() {
        #expect(decide(answered(404)) { $0.errors = [.status(404)] } == again)
        #expect(decide(answered(503)) { $0.errors = [.status(404)] } == .stop("policy"))
        #expect(decide(answered(503)) { $0.errors = [.statusClass(5)] } == again)
        #expect(decide(failed("dns.failed", .notSent)) { $0.errors = [.family("dns")] } == again)
        #expect(
            decide(failed("dns.failed", .notSent)) { $0.errors = [.code("dns.not_found")] } == .stop("policy")
        )
        #expect(decide(answered(999)) { $0.errors = [.statusClass(5)] } == again)
        #expect(decide(answered(700)) { $0.never = [.statusClass(5)] } == .stop("policy"))
        #expect(decide(answered(503)) { $0.never = [.statusClass(5)] } == .stop("policy"))
        #expect(
            decide(failed("connect.refused", .notSent)) {
                $0.errors = [.family("connect")]
                $0.never = [.code("connect.refused")]
            } == .stop("policy"))
        #expect(decide(answered(500), .post) { $0.errors = [.statusClass(5)] } == .stop("unsafe_method"))
        #expect(decide(answered(404), .post) { $0.errors = [.status(404)] } == .stop("unsafe_method"))
    }

    @Test func `ends when the next attempt would begin too late`() {
        #expect(decide(answered(503)) { $0.elapsedMax = .seconds(107) } == again)
        #expect(decide(answered(503)) { $0.elapsedMax = .seconds(106) } == .stop("budget"))
        #expect(decide(answered(503)) { $0.elapsedMax = nil } == again)
        #expect(
            decide(answered(503, headers: [("retry-after", "30")])) { $0.elapsedMax = .seconds(120) }
                == .stop("budget"))
    }

    @Test func `ends when the upstream requests it`() {
        var error = answered(503, headers: [("job-retry", "Never")])
        #expect(decide(error) { _ in } == .stop("receiver"))
        #expect(decide(error) { $0.heedsReceiverStop = false } == again)
        error = answered(503, headers: [("content-type", "application/problem+json; charset=utf-8")])
        for (problem, verdict) in [
            (#"{"retryable": false}"#, RetryVerdict.stop("receiver")), (#"{"retryable": true}"#, again),
            (#"{"retryable": "false"}"#, again), (#"{"retryable": fal"#, again), ("[false]", again),
        ] {
            error.upstream?.bodyExcerpt = problem
            #expect(decide(error) { _ in } == verdict, "\(problem)")
        }
        error.upstream?.headers["content-type"] = "application/json"
        error.upstream?.bodyExcerpt = #"{"retryable": false}"#
        #expect(decide(error) { _ in } == again)
    }

    @Test func `respects the pause of an answer only as far as the rule permits`() {
        let asking = answered(429, headers: [("ratelimit", #""burst";r=0;t=30, "day";r=900;t=80000"#)])
        #expect(decide(asking) { _ in } == .retry(after: .seconds(30)))
        #expect(decide(asking) { $0.retryAfterMax = .seconds(20) } == .retry(after: .seconds(20)))
        #expect(decide(asking) { $0.respectsRetryAfter = false } == again)
    }
}
