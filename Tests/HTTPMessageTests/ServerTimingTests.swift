import HTTPMessage
import Testing

@Suite struct `The times of an answer` {
    private func line(_ timing: HTTPServerTiming) -> String {
        var response = HTTPResponse(status: .ok)
        response.timing = timing
        var bytes: [UInt8] = []
        _ = HTTPResponseWriter.appendHead(
            of: response, keepAlive: true,
            dateLine: HTTPResponseWriter.dateLine(HTTPDate(secondsSince1970: 0)),
            to: &bytes)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        return lines.first { $0.hasPrefix("Server-Timing: ") }.map(String.init) ?? ""
    }

    @Test func `are milliseconds with three digits`() {
        #expect(line(.init(total: .microseconds(1_234))) == "Server-Timing: total;dur=1.234")
        #expect(line(.init(total: .zero)) == "Server-Timing: total;dur=0.000")
        #expect(line(.init(total: .nanoseconds(999))) == "Server-Timing: total;dur=0.000")
        #expect(line(.init(total: .seconds(61))) == "Server-Timing: total;dur=61000.000")
        #expect(line(.init(total: .seconds(-1))) == "Server-Timing: total;dur=0.000")
        #expect(line(.init(total: .seconds(Int64.max))).hasPrefix("Server-Timing: total;dur=1"))
    }

    @Test func `name the time until a submission was durable`() {
        let timing = HTTPServerTiming(total: .milliseconds(12), durable: .microseconds(10_050))
        #expect(line(timing) == "Server-Timing: durable;dur=10.050, total;dur=12.000")
    }
}
