package import HTTPMessage

/// Decides about the requests of a listener. Called on the loop of the connection, and must not block.
package protocol HTTPService: Sendable {
    /// Admits or refuses a request when its head has arrived and before any of its body is read or asked for.
    ///
    /// This is the place for access control and for the size of bodies.
    func admit(_ head: HTTPRequestHead, from peer: PeerAddress) -> HTTPAdmission

    /// The answer when the listener itself refuses its input: bad syntax, a head or body that is too large or too slow,
    /// too many connections. The connection closes after most of them.
    /// - Parameter head: the head of the request whose body is refused; nil when there is none.
    func answer(to refusal: ListenerRefusal, of head: HTTPRequestHead?, from peer: PeerAddress)
        -> HTTPResponse

    /// Reports that the process has run out of descriptors (true), or has some again (false). Called once each.
    func outOfDescriptors(_ isOut: Bool)
}

extension HTTPService {
    package func outOfDescriptors(_ isOut: Bool) {}
}

/// Answers one request that was admitted, and carries what was found out about it then.
package protocol HTTPRequestHandler: AnyObject, Sendable {
    /// Handles the complete request. The exchange must be answered exactly once, now or later, from anywhere. On the
    /// loop of the connection; must not block.
    func handle(_ exchange: HTTPExchange)
}

/// The decision about a request by its head.
package enum HTTPAdmission: Sendable {
    /// Read the body, up to this size, and have the request handled; a larger one is answered 413. A sink gets the body
    /// as it arrives.
    case accept(any HTTPRequestHandler, sink: (any HTTPBodySink)? = nil, bodyBytesMax: Int)
    /// Do not read the body, send this answer. The connection is kept when the body is small enough to be discarded,
    /// otherwise closed.
    case refuse(HTTPResponse)
}

/// The reason why the listener refuses a request before a service has seen it.
package struct ListenerRefusal: Sendable, Hashable {
    /// The status of the answer: 400, 408, 413, 414, 429, 431, 501, 503 or 505.
    package let status: HTTPStatus
    /// A stable dotted code: those of `HTTPParseFailure.Code`, `request.timeout`, `request.incomplete`,
    /// `overload.connections`, `overload.client`, `overload.bodies`.
    package let code: String
    /// One sentence for people. Contains no bytes of the request.
    package let detail: String

    package init(status: HTTPStatus, code: String, detail: String) {
        self.status = status
        self.code = code
        self.detail = detail
    }

    init(_ failure: HTTPParseFailure) {
        self.init(status: failure.status, code: failure.code.rawValue, detail: failure.detail)
    }

    /// The request did not arrive in time.
    static let tooSlow = ListenerRefusal(
        status: .requestTimeout, code: "request.timeout",
        detail: "The request did not arrive in time. Send it again, faster.")

    /// The client shut down its sending side in the middle of a request (RFC 9112 §8).
    static let incomplete = ListenerRefusal(
        status: .badRequest, code: "request.incomplete",
        detail: "The connection ended before the request was whole, so nothing was done. Send all of it.")

    /// There are too many connections.
    static let tooManyConnections = ListenerRefusal(
        status: .serviceUnavailable, code: "overload.connections",
        detail: "The server has as many connections as it may have. Try again later.")

    /// There are too many connections from one address.
    static let tooManyConnectionsOfOne = ListenerRefusal(
        status: .tooManyRequests, code: "overload.client",
        detail: "Your address has as many connections as one may have. Use those that you have, or fewer.")

    /// The bodies being read have reached their memory limit.
    static let tooManyBodies = ListenerRefusal(
        status: .serviceUnavailable, code: "overload.bodies",
        detail: "The server is reading as many request bodies as it can hold. Try again later.")

    /// The bodies being read from one address have reached their part of that memory.
    static let tooManyBodiesOfOne = ListenerRefusal(
        status: .tooManyRequests, code: "overload.client",
        detail: "Your address sends half of the request bodies that the server can hold. Send fewer at once.")

    /// The body is larger than the service accepts.
    static func tooLarge(_ bytesMax: Int) -> ListenerRefusal {
        ListenerRefusal(
            status: .contentTooLarge, code: HTTPParseFailure.Code.bodyTooLarge.rawValue,
            detail: "The body is larger than the \(bytesMax) bytes that are accepted here.")
    }
}
