import Glibc
import HTTPMessage
import Testing

@testable import CurlHTTP

@Suite struct `The failure table` {
    private func report(_ curlCode: Int, phase: HTTPCallPhase = .connect) throws -> TransferReport {
        TransferReport(
            end: .finished(curlCode), target: try CallTarget("https://example.com/"), method: "POST",
            phase: phase,
            connectTimeout: .seconds(10), firstByteTimeout: .seconds(30), stallTimeout: .seconds(30),
            attemptTimeout: .seconds(60),
            answerBytesMax: 100, headBytesMax: 100, exchange: HTTPCallExchange())
    }

    @Test func `distinguishes an unknown name from silent name servers`() throws {
        var report = try report(6, phase: .dns)
        report.exchange.totalMilliseconds = 12
        #expect(FailureTable.failure(report).code == "dns.not_found")
        report.exchange.totalMilliseconds = 5005
        #expect(FailureTable.failure(report).code == "dns.failed")
        #expect(FailureTable.failure(report).delivery == .notSent)
    }

    @Test(arguments: [
        (ECONNREFUSED, "connect.refused"), (EHOSTUNREACH, "connect.unreachable"),
        (ENETUNREACH, "connect.unreachable"), (ECONNRESET, "connect.reset"), (ETIMEDOUT, "timeout.connect"),
        (EMFILE, "internal.transport"), (EPERM, "connect.failed"),
    ])
    func `maps the system's error of a connection`(number: Int32, code: String) throws {
        var report = try report(7)
        report.systemError = number
        let failure = FailureTable.failure(report)
        #expect(failure.code == code)
        #expect(failure.nativeCode == 7)
        #expect(failure.detail.contains("example.com:443"))
    }

    @Test(arguments: [
        (9, "tls.certificate_expired"), (10, "tls.certificate_expired"), (18, "tls.certificate_untrusted"),
        (20, "tls.certificate_untrusted"), (62, "tls.hostname_mismatch"), (64, "tls.hostname_mismatch"),
    ])
    func `names the problem of a certificate`(verdict: Int, code: String) throws {
        var report = try report(60, phase: .tls)
        report.certificateVerdict = verdict
        #expect(FailureTable.failure(report).code == code)
        #expect(FailureTable.failure(report).suggestion != nil)
    }

    @Test func `derives the delivery from the observed phases`() throws {
        var report = try report(56, phase: .wait)
        #expect(FailureTable.failure(report).delivery == .notSent)
        report.hasSentBytes = true
        #expect(FailureTable.failure(report).delivery == .sentUnknown)
        #expect(FailureTable.failure(report).code == "connect.reset")
        report.status = 200
        #expect(FailureTable.failure(report).delivery == .answered)
        #expect(FailureTable.failure(report).code == "body.truncated")
    }

    @Test func `tells how much of an attempt was a wait in line`() throws {
        var report = try report(0, phase: .wait)
        report.end = .expired(.attempt)
        #expect(FailureTable.failure(report).detail.hasSuffix("was not complete after 60 s."))
        report.exchange.lineMilliseconds = 59_999.9
        let failure = FailureTable.failure(report)
        #expect(failure.code == "timeout.attempt")
        #expect(failure.detail.hasSuffix("after 60 s, 59999 ms of it in line for a connection."))
        #expect(failure.suggestion?.contains("fewer calls") == true)
    }

    @Test func `has an answer for every number, and never an empty sentence`() throws {
        for code in 0...110 {
            let failure = FailureTable.failure(try report(code))
            #expect(failure.code.contains("."))
            #expect(failure.detail.count > 20)
        }
    }

    @Test(arguments: [
        "Illegal or missing hexadecimal sequence in chunked-encoding",
        "chunk hex-length char not a hex digit: 0x78", "invalid chunk size: 'ffffffffffffffff'",
        "Too large response headers: 307300 > 307200",
    ])
    func `takes a malformed answer for what it is, whatever the version of libcurl`(words: String) throws {
        var report = try report(56, phase: .receive)
        report.status = 200
        report.words = words
        #expect(FailureTable.failure(report).code == "http.protocol")
        #expect(FailureTable.failure(report).detail.contains(words))
    }

    @Test func `knows the numbers that newer versions of libcurl have`() throws {
        let long = FailureTable.failure(try report(100, phase: .receive))
        #expect(long.code == "http.protocol")
        #expect(long.detail.contains("header field"))
        #expect(FailureTable.failure(try report(101, phase: .tls)).code == "tls.handshake")
    }

    @Test func `knows what each version of libcurl counts as the size of a request`() {
        let sizes = [0x075801, 0x080500, 0x080701, 0x080800, 0x080e01].map(
            LibcurlVersion.RequestSize.init(version:))
        #expect(sizes == [.head, .head, .nothing, .everything, .everything])
    }

    @Test func `prefers a refused address only when no other was tried`() throws {
        var report = try report(7)
        report.blockedAddress = "::1"
        report.blockedIsIPv6 = true
        let failure = FailureTable.failure(report)
        #expect(failure.code == "egress.blocked")
        #expect(failure.suggestion?.contains("--egress-allow ::1/128") == true)
        report.triedAllowedAddress = true
        report.systemError = ECONNREFUSED
        #expect(FailureTable.failure(report).code == "connect.refused")
    }
}
