internal import HTTPMessage
internal import JobKit

extension Expectation {
    /// The reason why the answer does not count as success; nil when it does.
    /// - Throws: errors of references to other operations, and of content that cannot be read; `evaluation.too_long`.
    func check(
        _ captured: CapturedAnswer, _ references: ReferenceReader
    ) async throws(AOperationError) -> AOperationError? {
        let (answer, result) = (captured.answer, captured.result)
        if let error = statusError(answer) { return error }
        if !contentTypes.isEmpty, !isExpected(contentType: result.contentType) {
            let wanted = contentTypes.map(\.description).joined(separator: " or ")
            return AOperationError(
                .expectContentType, title: ErrorCode.expectContentType.title,
                detail: "Expected \(wanted), got \(result.contentType ?? "no content type").",
                answer: answer)
        }
        guard let that else { return nil }
        let place = references.board.artifacts
        let (verdict, why) = try await references.evaluate { lookup throws(AOperationError) in
            try result.verdict(of: that, from: place, lookup: lookup)
        }
        switch verdict {
        case .holds: return nil
        // What cannot be looked at does not meet the expectation, whatever that is.
        case .unknown(let error) where error.code != .referenceNotJSON: throw error
        case .unknown, .fails: break
        }
        return AOperationError(
            .expectThat, title: ErrorCode.expectThat.title,
            detail: "The answer does not meet expect.that: \(why ?? "").", answer: answer
        ).pointing(to: .beginning)
    }

    /// Whether an answer with this status counts as success.
    func isExpected(status: Int) -> Bool {
        statuses.isEmpty ? (200...299).contains(status) : statuses.contains { $0.contains(status) }
    }

    private func statusError(_ answer: HTTPCallAnswer) -> AOperationError? {
        if isExpected(status: answer.status) { return nil }
        if (200...399).contains(answer.status) && !statuses.isEmpty {
            return AOperationError(
                .expectStatus, title: "Upstream answered \(answer.status)",
                detail: "The status \(answer.status) is not among those in expect.status.", answer: answer)
        }
        let (detail, hint) = Self.advice(answer)
        let error = AOperationError(
            .httpStatus, title: "Upstream answered \(answer.status)", detail: detail, answer: answer)
        return hint.map(error.pointing(to:)) ?? error
    }

    private static func advice(_ answer: HTTPCallAnswer) -> (String, AnswerHint?) {
        switch answer.status {
        case 300...399: redirectAdvice(answer)
        case 401:
            ("The upstream wants to know who is calling, or does not accept it. Check request.auth.", nil)
        case 403:
            ("The upstream knows who is calling and refuses. Check the rights of these credentials.", nil)
        case 404: ("There is nothing at this URL. Check request.url and its vars.", nil)
        case 408, 425, 429:
            ("The upstream asks to come back later; more attempts or a longer backoff may help.", nil)
        case 400...499: ("The upstream rejects the request as it is.", .answer)
        case 500...999: ("The upstream failed; trying again later may help.", .answer)
        default: ("The answer does not count as success. List its status in expect.status if it should.", nil)
        }
    }

    /// Only some answers of this class are redirects that can be followed (RFC 9110 §15.4).
    private static func redirectAdvice(_ answer: HTTPCallAnswer) -> (String, AnswerHint?) {
        let hasPlace = answer.field("location") != nil
        switch answer.status {
        case 304:
            return (
                "Nothing has changed since the version that the request names. List 304 in expect.status if that "
                    + "is fine, or leave If-None-Match and If-Modified-Since out.", nil
            )
        case 301, 302, 303, 307, 308:
            return hasPlace
                ? (
                    "A redirect was not followed. Set request.redirects to follow it, or call its target.",
                    nil
                )
                : ("A redirect without a Location: there is nothing to follow.", .answer)
        case 300:
            let choice = "There are several to choose from. Call the one that is meant"
            return hasPlace
                ? ("\(choice); upstream.headers.location names one.", nil) : ("\(choice).", .choices)
        default:
            return (
                "No redirect that can be followed. Call another URL, or list the status in expect.status.",
                nil
            )
        }
    }

    private func isExpected(contentType: String?) -> Bool {
        guard let got = contentType.flatMap({ MediaType($0) }) else { return false }
        return contentTypes.contains { got.meets($0) }
    }
}

/// A sentence about the excerpt of an upstream's answer.
enum AnswerHint: String {
    case answer = "Its answer is in upstream.body_excerpt."
    case beginning = "upstream.body_excerpt shows how it begins."
    case choices = "upstream.body_excerpt may list them."
}

extension AOperationError {
    /// The error with a hint to the excerpt of the answer, if it has one: none has an answer without text.
    func pointing(to hint: AnswerHint) -> AOperationError {
        guard upstream?.bodyExcerpt != nil else { return self }
        var error = self
        error.detail += " \(hint.rawValue)"
        return error
    }
}

extension MediaType {
    /// Whether it matches `wanted`, which may have wildcards; the parameters of `wanted` must be equal.
    fileprivate func meets(_ wanted: MediaType) -> Bool {
        guard wanted.type == "*" || wanted.type == type else { return false }
        let isSubtype =
            wanted.subtype == "*" || wanted.subtype == subtype
            || wanted.subtype.hasPrefix("*+") && subtype.hasSuffix(wanted.subtype.dropFirst())
        return isSubtype
            && wanted.parameters.allSatisfy { wanted in
                parameter(wanted.name)?.equalsIgnoringASCIICase(wanted.value) ?? false
            }
    }
}
