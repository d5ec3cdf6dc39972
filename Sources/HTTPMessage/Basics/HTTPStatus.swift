/// A response status (RFC 9110 §15).
package struct HTTPStatus: Sendable, Hashable, CustomStringConvertible {
    /// The three-digit code, 100…599.
    package let code: Int

    /// The status with this code. Codes outside 100…599 are a programmer error.
    package init(_ code: Int) {
        precondition((100...599).contains(code), "a status code has three digits, 100 to 599")
        self.code = code
    }

    /// A status with an untrusted code; nil when it is not in 100…599.
    package init?(code: Int) {
        guard (100...599).contains(code) else { return nil }
        self.code = code
    }

    /// Whether a response with this status never has content (RFC 9110 §6.4.1): 1xx, 204 and 304.
    package var forbidsBody: Bool { code < 200 || code == 204 || code == 304 }

    /// `503 Service Unavailable`.
    package var description: String { reason.isEmpty ? "\(code)" : "\(code) \(reason)" }

    package static let `continue` = HTTPStatus(100)
    package static let switchingProtocols = HTTPStatus(101)
    package static let ok = HTTPStatus(200)
    package static let created = HTTPStatus(201)
    package static let accepted = HTTPStatus(202)
    package static let noContent = HTTPStatus(204)
    package static let partialContent = HTTPStatus(206)
    package static let movedPermanently = HTTPStatus(301)
    package static let found = HTTPStatus(302)
    package static let seeOther = HTTPStatus(303)
    package static let notModified = HTTPStatus(304)
    package static let temporaryRedirect = HTTPStatus(307)
    package static let permanentRedirect = HTTPStatus(308)
    package static let badRequest = HTTPStatus(400)
    package static let unauthorized = HTTPStatus(401)
    package static let forbidden = HTTPStatus(403)
    package static let notFound = HTTPStatus(404)
    package static let methodNotAllowed = HTTPStatus(405)
    package static let notAcceptable = HTTPStatus(406)
    package static let requestTimeout = HTTPStatus(408)
    package static let conflict = HTTPStatus(409)
    package static let gone = HTTPStatus(410)
    package static let lengthRequired = HTTPStatus(411)
    package static let preconditionFailed = HTTPStatus(412)
    package static let contentTooLarge = HTTPStatus(413)
    package static let targetTooLong = HTTPStatus(414)
    package static let unsupportedMediaType = HTTPStatus(415)
    package static let rangeNotSatisfiable = HTTPStatus(416)
    package static let expectationFailed = HTTPStatus(417)
    package static let misdirectedRequest = HTTPStatus(421)
    package static let unprocessableContent = HTTPStatus(422)
    package static let preconditionRequired = HTTPStatus(428)
    package static let tooManyRequests = HTTPStatus(429)
    package static let fieldsTooLarge = HTTPStatus(431)
    package static let internalServerError = HTTPStatus(500)
    package static let notImplemented = HTTPStatus(501)
    package static let badGateway = HTTPStatus(502)
    package static let serviceUnavailable = HTTPStatus(503)
    package static let gatewayTimeout = HTTPStatus(504)
    package static let versionNotSupported = HTTPStatus(505)
    package static let insufficientStorage = HTTPStatus(507)
}
