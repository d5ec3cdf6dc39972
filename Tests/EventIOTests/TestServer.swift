import EventIO
import HTTPMessage

/// A service made of closures.
struct TestService: HTTPService {
    /// Answers all requests alike.
    final class Handler: HTTPRequestHandler {
        private let handling: @Sendable (HTTPExchange) -> Void

        init(_ handling: @escaping @Sendable (HTTPExchange) -> Void) { self.handling = handling }

        func handle(_ exchange: HTTPExchange) { handling(exchange) }
    }

    /// Decides about a head, given the handler of accepted requests.
    typealias Admitting = @Sendable (HTTPRequestHead, Handler) -> HTTPAdmission

    private let admitting: Admitting
    private let handler: Handler

    init(
        admitting: @escaping Admitting = { .accept($1, bodyBytesMax: 1 << 20) },
        handling: @escaping @Sendable (HTTPExchange) -> Void = { $0.respond(.text($0.echo)) }
    ) {
        self.admitting = admitting
        handler = Handler(handling)
    }

    func admit(_ head: HTTPRequestHead, from peer: PeerAddress) -> HTTPAdmission { admitting(head, handler) }

    func answer(to refusal: ListenerRefusal, of head: HTTPRequestHead?, from peer: PeerAddress)
        -> HTTPResponse
    {
        HTTPResponse(status: refusal.status, body: .bytes(Array(refusal.code.utf8)))
    }
}

extension HTTPExchange {
    /// `METHOD target body`.
    var echo: String {
        let body = String(decoding: request.body, as: UTF8.self)
        return "\(request.head.method) \(request.head.target) \(body)"
    }
}

extension HTTPResponse {
    /// 200 with this text.
    static func text(_ text: String) -> HTTPResponse {
        HTTPResponse(status: .ok, body: .bytes(Array(text.utf8)))
    }
}

/// A listener on a separate loop, for one test.
final class TestServer: Sendable {
    let loop: EventLoop
    let listener: HTTPListener

    init(
        limits: ListenerLimits = ListenerLimits(), tls: TLSServerContext? = nil,
        census: ConnectionCensus? = nil, service: TestService = TestService()
    ) throws {
        loop = try EventLoop(name: "server")
        listener = try HTTPListener(
            loop: loop, address: .tcp(host: "127.0.0.1", port: 0), tls: tls, limits: limits,
            census: census, service: service)
        loop.start()
    }

    deinit {
        listener.close()
        loop.stop()
    }

    /// A client of this server.
    func connect(receiveBufferBytes: CInt? = nil) -> RawClient {
        RawClient(port: listener.port, receiveBufferBytes: receiveBufferBytes)
    }
}

extension String {
    /// Whether an answer has this status.
    func hasStatus(_ code: Int) -> Bool { hasPrefix("HTTP/1.1 \(code) ") }

    /// The part after the empty line.
    var content: Substring {
        guard let range = firstRange(of: "\r\n\r\n") else { return "" }
        return self[range.upperBound...]
    }

    /// The number of occurrences of `part`.
    func count(of part: String) -> Int {
        ranges(of: part).count
    }
}
