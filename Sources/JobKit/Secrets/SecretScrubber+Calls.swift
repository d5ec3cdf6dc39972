internal import HTTPMessage
internal import StrictJSON

/// Redaction of the results of calls.
extension SecretScrubber {
    func scrubbed(_ answer: HTTPCallAnswer) -> HTTPCallAnswer {
        guard !isEmpty else { return answer }
        var answer = answer
        answer.fields = scrubbed(answer.fields)
        answer.body = scrubbed(answer.body)
        answer.exchange = scrubbed(answer.exchange)
        return answer
    }

    func scrubbed(_ fields: [(name: String, value: String)]) -> [(name: String, value: String)] {
        let patterns = patterns
        let mayHide = fields.contains {
            patterns.mayBe(in: $0.name.utf8.span) || patterns.mayBe(in: $0.value.utf8.span)
        }
        return mayHide ? fields.map { (scrubbed($0.name), scrubbed($0.value)) } : fields
    }

    func scrubbed(_ failure: HTTPCallFailure) -> HTTPCallFailure {
        guard !isEmpty else { return failure }
        var failure = failure
        failure.detail = scrubbed(failure.detail)
        failure.suggestion = failure.suggestion.map { scrubbed($0) }
        failure.exchange = scrubbed(failure.exchange)
        return failure
    }

    /// A redacted error, with its causes.
    package func scrubbed(_ error: AOperationError) -> AOperationError {
        guard !isEmpty else { return error }
        var error = error
        error.title = scrubbed(error.title)
        error.detail = scrubbed(error.detail)
        if var published = error.publishedError {
            published.description = scrubbed(published.description)
            published.failureReason = published.failureReason.map { scrubbed($0) }
            published.recoverySuggestion = published.recoverySuggestion.map { scrubbed($0) }
            published.info = scrubbed(published.info)
            error.publishedError = published
        }
        if var upstream = error.upstream {
            upstream.headers = scrubbed(upstream.headers)
            upstream.bodyExcerpt = upstream.bodyExcerpt.map { scrubbed($0) }
            error.upstream = upstream
        }
        if !error.causes.isEmpty { error.causes = error.causes.map { scrubbed($0) } }
        return error
    }

    private func scrubbed(_ exchange: HTTPCallExchange) -> HTTPCallExchange {
        var exchange = exchange
        exchange.effectiveURL = exchange.effectiveURL.map { scrubbed($0) }
        return exchange
    }

    private func scrubbed(_ object: JSONObject) -> JSONObject {
        JSONObject(
            uniqueMembers: object.members.map { .init(name: $0.name, value: scrubbed($0.value)) })
    }

    private func scrubbed(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(scrubbed(text))
        case .array(let elements): .array(elements.map { scrubbed($0) })
        case .object(let object): .object(scrubbed(object))
        case .null, .bool, .number: value
        }
    }
}
