internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// A client that fetches access tokens (RFC 6749 §4.4).
struct OAuth2Client: Sendable, Hashable {
    /// The assumed lifetime of a token without `expires_in`.
    static let lifetimeDefault = Duration.seconds(300)
    /// The maximum size of a token endpoint's answer.
    static let answerBytesMax = 256 << 10

    let spec: OAuth2Auth
    let id: String
    let secret: String

    /// Equal when the bytes are: a token of one client never goes to another.
    static func == (left: OAuth2Client, right: OAuth2Client) -> Bool {
        left.spec == right.spec && left.id.hasSameBytes(as: right.id)
            && left.secret.hasSameBytes(as: right.secret)
    }

    /// Feeds the bytes to the hasher.
    func hash(into hasher: inout Hasher) {
        hasher.combine(spec)
        hasher.combine(ByteKey(id))
        hasher.combine(ByteKey(secret))
    }

    /// An issued token.
    struct Grant: Sendable {
        let token: String
        let lifetime: Duration
        /// The confidential values in the answer.
        let confidential: [String]
    }

    /// The request for a token, on the route of the call that needs it. The certificate of that call is shown to the
    /// same origin only.
    func request(for call: HTTPCall) -> HTTPCall {
        var form = [("grant_type", "client_credentials")]
        if let scope = spec.scope { form.append(("scope", scope.text)) }
        if let audience = spec.audience { form.append(("audience", audience.text)) }
        var request = HTTPCall(
            method: "POST", url: spec.tokenURL,
            fields: [
                ("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded"),
                ("User-Agent", "jobserver/1"),
            ])
        switch spec.style {
        case .post: form += [("client_id", id), ("client_secret", secret)]
        case .basic: request.fields.append(("Authorization", "Basic " + basic))
        }
        let pairs = form.map { "\($0.0)=\(PercentCoding.encode($0.1, for: .form))" }
        request.body = Array(pairs.joined(separator: "&").utf8)
        request.connectTimeout = call.connectTimeout
        request.firstByteTimeout = call.firstByteTimeout
        request.stallTimeout = call.stallTimeout
        request.attemptTimeout = call.attemptTimeout
        request.answerBytesMax = Self.answerBytesMax
        guard !call.takesPlainRoute else { return request }
        var route = call.route
        if (try? URLParts(call.url))?.origin != (try? URLParts(spec.tokenURL))?.origin {
            route.clientCertificatePEM = nil
            route.clientKeyPEM = nil
        }
        request.route = route
        return request
    }

    /// The client's credentials, in base64.
    private var basic: String { String(decoding: Base64.encode(basicPair), as: UTF8.self) }

    /// Name and secret, each form-encoded (RFC 6749 §2.3.1).
    var basicPair: [UInt8] {
        Array("\(PercentCoding.encode(id, for: .form)):\(PercentCoding.encode(secret, for: .form))".utf8)
    }

    /// Parses an answer of the token endpoint.
    func grant(in answer: HTTPCallAnswer) -> Result<Grant, AOperationError> {
        let object = (try? JSONParser.parse(answer.body))?.object
        guard (200...299).contains(answer.status) else { return .failure(refusal(answer, object)) }
        guard let object, let token = object["access_token"]?.string, Self.isToken(token) else {
            return .failure(
                unusable("answered \(answer.status), but with no access_token that can be sent", answer))
        }
        let type = object["token_type"]?.string ?? "Bearer"
        guard type.lowercased() == "bearer" else {
            return .failure(unusable("gave a token of a type other than Bearer", answer))
        }
        var lifetime = Self.lifetimeDefault
        if let seconds = object["expires_in"]?.number?.int ?? object["expires_in"]?.string.flatMap(Int.init) {
            lifetime = .seconds(min(max(0, seconds), 366 * 86_400))
        }
        let confidential = ["access_token", "refresh_token", "id_token"].compactMap { object[$0]?.string }
        return .success(Grant(token: token, lifetime: lifetime, confidential: confidential))
    }

    /// The error of a token request without an answer.
    func error(_ failure: HTTPCallFailure) -> AOperationError {
        let cause = AOperationError(specCallFailure: failure)
        if cause.isCancelled { return cause }
        var error = AOperationError(
            .authTokenFetch, detail: "No answer from the token endpoint \(place): \(cause.detail)",
            retryable: cause.retryable, causes: [cause])
        error.delivery = HTTPCallDelivery.notSent.rawValue
        error.timing = cause.timing
        return error
    }

    private func refusal(_ answer: HTTPCallAnswer, _ object: JSONObject?) -> AOperationError {
        var reason = object?["error"]?.string.map { " (\($0))" } ?? ""
        if let text = object?["error_description"]?.string { reason += ": \(text)" }
        let isWorthwhile = RetryDecision.isWorthwhile(status: answer.status)
        let advice = isWorthwhile ? "" : " Check client_id, client_secret and scope."
        var error = unusable("answered \(answer.status)\(reason)", answer)
        error.detail += advice
        error.retryable = isWorthwhile
        return error
    }

    private func unusable(_ what: String, _ answer: HTTPCallAnswer) -> AOperationError {
        var error = AOperationError(
            .authTokenFetch, title: ErrorCode.authTokenFetch.title,
            detail: "The token endpoint \(place) \(what).", answer: answer)
        // The call itself was not sent.
        error.delivery = HTTPCallDelivery.notSent.rawValue
        error.retryable = false
        if (200...299).contains(answer.status) { error.upstream?.bodyExcerpt = nil }
        return error
    }

    /// The endpoint without its query.
    private var place: String {
        (try? URLParts(spec.tokenURL)).map { $0.origin + $0.path } ?? "of this client"
    }

    /// Whether a text is a valid token in `Authorization` (RFC 6750 §2.1), generously.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64 << 10 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
