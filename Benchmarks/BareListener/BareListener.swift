import EventIO
import Glibc
import HTTPMessage

/// Answers every request with the same few bytes: the capacity of the listener alone, for comparison with the product.
///
///     swift run -c release BareListener [port]
///     .build/benchmarks/load http read --port 8089 --path / --seconds 5
@main struct BareListener {
    private final class FixedAnswer: HTTPService, HTTPRequestHandler {
        private let response: HTTPResponse

        init(_ response: HTTPResponse) { self.response = response }

        func admit(_ head: HTTPRequestHead, from peer: PeerAddress) -> HTTPAdmission {
            .accept(self, bodyBytesMax: 1 << 20)
        }

        func handle(_ exchange: HTTPExchange) { exchange.respond(response) }

        func answer(to refusal: ListenerRefusal, of head: HTTPRequestHead?, from peer: PeerAddress)
            -> HTTPResponse
        {
            HTTPResponse(status: refusal.status)
        }
    }

    static func main() throws {
        let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8089
        let body = Array(#"{"id":"job_00000000000000000000000000"}"#.utf8)
        let response = HTTPResponse(
            status: .ok, fields: ["Content-Type": "application/json"], body: .bytes(body))
        let loop = try EventLoop(name: "bare")
        let listener = try HTTPListener(
            loop: loop, address: .tcp(host: "127.0.0.1", port: port),
            service: FixedAnswer(response))
        loop.start()
        print("Answers on http://127.0.0.1:\(listener.port)/ until it gets a signal")
        pause()
    }
}
