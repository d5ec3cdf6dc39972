/// A response status (RFC 9110 §15).
public struct HTTPStatus: Sendable, Hashable, CustomStringConvertible {
    /// The three-digit code, 100…599.
    public let code: Int

    /// The status with this code. Codes outside 100…599 are a programmer error.
    public init(_ code: Int) {
        precondition((100...599).contains(code), "a status code has three digits, 100 to 599")
        self.code = code
    }

    /// A status with an untrusted code; nil when it is not in 100…599.
    public init?(code: Int) {
        guard (100...599).contains(code) else { return nil }
        self.code = code
    }

    /// Whether a response with this status never has content (RFC 9110 §6.4.1): 1xx, 204 and 304.
    public var forbidsBody: Bool { code < 200 || code == 204 || code == 304 }

    /// `503 Service Unavailable`.
    public var description: String { reason.isEmpty ? "\(code)" : "\(code) \(reason)" }

    /// 100.
    public static let `continue` = HTTPStatus(100)
    /// 101.
    public static let switchingProtocols = HTTPStatus(101)
    /// 200.
    public static let ok = HTTPStatus(200)
    /// 201.
    public static let created = HTTPStatus(201)
    /// 202.
    public static let accepted = HTTPStatus(202)
    /// 204.
    public static let noContent = HTTPStatus(204)
    /// 206.
    public static let partialContent = HTTPStatus(206)
    /// 301.
    public static let movedPermanently = HTTPStatus(301)
    /// 302.
    public static let found = HTTPStatus(302)
    /// 303.
    public static let seeOther = HTTPStatus(303)
    /// 304.
    public static let notModified = HTTPStatus(304)
    /// 307.
    public static let temporaryRedirect = HTTPStatus(307)
    /// 308.
    public static let permanentRedirect = HTTPStatus(308)
    /// 400.
    public static let badRequest = HTTPStatus(400)
    /// 401.
    public static let unauthorized = HTTPStatus(401)
    /// 403.
    public static let forbidden = HTTPStatus(403)
    /// 404.
    public static let notFound = HTTPStatus(404)
    /// 405.
    public static let methodNotAllowed = HTTPStatus(405)
    /// 406.
    public static let notAcceptable = HTTPStatus(406)
    /// 408.
    public static let requestTimeout = HTTPStatus(408)
    /// 409.
    public static let conflict = HTTPStatus(409)
    /// 410.
    public static let gone = HTTPStatus(410)
    /// 411.
    public static let lengthRequired = HTTPStatus(411)
    /// 412.
    public static let preconditionFailed = HTTPStatus(412)
    /// 413.
    public static let contentTooLarge = HTTPStatus(413)
    /// 414.
    public static let targetTooLong = HTTPStatus(414)
    /// 415.
    public static let unsupportedMediaType = HTTPStatus(415)
    /// 416.
    public static let rangeNotSatisfiable = HTTPStatus(416)
    /// 417.
    public static let expectationFailed = HTTPStatus(417)
    /// 421.
    public static let misdirectedRequest = HTTPStatus(421)
    /// 422.
    public static let unprocessableContent = HTTPStatus(422)
    /// 428.
    public static let preconditionRequired = HTTPStatus(428)
    /// 429.
    public static let tooManyRequests = HTTPStatus(429)
    /// 431.
    public static let fieldsTooLarge = HTTPStatus(431)
    /// 500.
    public static let internalServerError = HTTPStatus(500)
    /// 501.
    public static let notImplemented = HTTPStatus(501)
    /// 502.
    public static let badGateway = HTTPStatus(502)
    /// 503.
    public static let serviceUnavailable = HTTPStatus(503)
    /// 504.
    public static let gatewayTimeout = HTTPStatus(504)
    /// 505.
    public static let versionNotSupported = HTTPStatus(505)
    /// 507.
    public static let insufficientStorage = HTTPStatus(507)
}
