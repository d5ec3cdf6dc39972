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
