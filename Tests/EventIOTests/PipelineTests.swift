import EventIO
import HTTPMessage
import Testing

/// Repeatable pseudo-random numbers (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite struct `A random pipeline` {
    /// A request with its expected answer.
    private struct Request {
        let text: String
        let isHead: Bool
        let answer: String
    }

    @Test(arguments: 0..<24)
    func `is answered in order and in full, wherever it is cut`(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        var limits = ListenerLimits()
        limits.pipelinedRequestsMax = [2, 8, 64].randomElement(using: &numbers) ?? 2
        limits.requestsPerTurnMax = [1, 3, 64].randomElement(using: &numbers) ?? 1
        let server = try TestServer(limits: limits, service: answering(late: seed % 2 == 0))
        let client = server.connect()
        let requests = (0..<Int.random(in: 1...60, using: &numbers)).map { request($0, &numbers) }
        var bytes = requests.map(\.text).joined()[...]
        while !bytes.isEmpty {
            let length = [1, 3, 50, 1000, 60_000].randomElement(using: &numbers) ?? 1
            #expect(client.send(String(bytes.prefix(length))))
            bytes = bytes.dropFirst(length)
        }
        client.endSending()
        for request in requests {
            let answer = client.readAnswer(isHead: request.isHead)
            #expect(answer.hasStatus(200))
            #expect(answer.content == request.answer)
        }
        #expect(client.readAll() == "")
    }

    /// Answers `path length-of-body`: at once, or from a task.
    private func answering(late: Bool) -> TestService {
        TestService(handling: { exchange in
            let text = "\(exchange.request.head.target) \(exchange.request.body.count)"
            if late {
                Task(executorPreference: exchange.loop) { exchange.respond(.text(text)) }
            } else {
                exchange.respond(.text(text))
            }
        })
    }

    private func request(_ number: Int, _ numbers: inout SeededNumbers) -> Request {
        let size = [1, 10, 1000, 70_000].randomElement(using: &numbers) ?? 1
        let body = String(repeating: "b", count: size)
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0:
            return Request(
                text: "GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n", isHead: false, answer: "/\(number) 0")
        case 1:
            return Request(text: "HEAD /\(number) HTTP/1.1\r\nHost: x\r\n\r\n", isHead: true, answer: "")
        case 2:
            return Request(
                text: "POST /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n\(body)",
                isHead: false, answer: "/\(number) \(size)")
        default:
            let chunk = String(size, radix: 16) + "\r\n\(body)\r\n"
            return Request(
                text: "POST /\(number) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + chunk + chunk + "0\r\n\r\n",
                isHead: false, answer: "/\(number) \(2 * size)")
        }
    }
}
