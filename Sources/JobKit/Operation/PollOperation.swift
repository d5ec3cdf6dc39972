internal import HTTPMessage
internal import StrictJSON
internal import Synchronization

/// Calls until the other side is done. Each poll is an attempt; one that was answered and not done yet does not count
/// against the attempts allowed, and the wait behind it is durable.
struct PollOperation: Sendable {
    /// The note under which the URL is kept that an answer said to poll.
    static let followNote = "follow"

    let name: String
    let poll: PollSpec
    let expect: Expectation
    /// Answers references to other operations.
    let references: ReferenceReader

    /// The polls with their retry rule.
    func recipe(retry: RetrySpec) -> AOperationRecipe<OperationResult> {
        let isFollowing = Flag()
        var recipe = AOperationRecipe<OperationResult>(name: name) { context in
            try await self.execute(in: context, isFollowing)
        }
        let method = HTTPMethod(poll.call.method) ?? .get
        recipe.settings = AOperationSettings(
            calling: poll.call, retry: retry,
            url: { context in
                context.recalled(Self.followNote)?.string ?? poll.call.nextURL(references, in: context)
            },
            repeats: { isFollowing.isRaised ? .get : method })
        recipe.settings.safeOnceNoted = Self.followNote
        recipe.settings.poll = .init(wait: poll.wait, pollsMax: poll.pollsMax)
        return recipe
    }

    private func execute(in context: AOperationContext, _ isFollowing: Flag) async throws -> OperationResult {
        let lookup = references.lookup(in: context)
        let followed = context.recalled(Self.followNote)?.string
        if followed != nil { isFollowing.raise() }
        var url = poll.call.url
        let captured = try await context.capture(
            CallDispatch(poll.call, in: context, lookup: lookup), of: name
        ) { request in
            if let followed { request = request.following(followed) }
            url = request.url
        }
        let (answer, result) = (captured.answer, captured.result)
        if let error = try expect.check(captured, from: context.artifacts, lookup: lookup) { throw error }
        if let failIf = poll.failIf, try result.meets(failIf, from: context.artifacts, lookup: lookup) {
            throw AOperationError(
                .pollFailed, title: ErrorCode.pollFailed.title,
                detail: "The answer meets fail_if; upstream.body_excerpt shows how it begins.", answer: answer
            )
        }
        var isNew = false
        if let next = poll.follows ? answer.monitor(of: url) : nil, next != followed {
            isNew = true
            try await context.remember(.string(next), as: Self.followNote)
            isFollowing.raise()
        }
        var why = ""
        if let until = poll.until {
            let shortfall = try result.shortfall(of: until, from: context.artifacts, lookup: lookup)
            guard let shortfall else { return result }
            why = ": \(shortfall)"
        } else if !isNew && answer.status != 202 {
            return result
        }
        throw NotYet(
            asked: answer.retryAfter(context.clock.now),
            error: AOperationError(
                .pollExhausted, title: ErrorCode.pollExhausted.title,
                detail:
                    "The other side was not done after \(poll.pollsMax) polls\(why). "
                    + "Raise max_polls, wait longer with every, or look whether until asks for the right place.",
                answer: answer))
    }
}

/// The other side answered and is not done yet.
struct NotYet: Error {
    /// How long it asks to be left alone; nil when it does not.
    var asked: Duration?
    /// What it comes to when there are no polls left.
    var error: AOperationError
}

/// Something that becomes true once.
private final class Flag: Sendable {
    private let value = Mutex(false)
    var isRaised: Bool { value.withLock { $0 } }
    func raise() { value.withLock { $0 = true } }
}

extension HTTPCallAnswer {
    /// The URL that tells how the work goes on: `Operation-Location`, or `Location` when the work was accepted.
    fileprivate func monitor(of url: String) -> String? {
        let place = field("operation-location") ?? (status == 202 ? field("location") : nil)
        return place.flatMap { try? URLReference.resolve($0, against: url) }
    }

    fileprivate func retryAfter(_ now: Timestamp) -> Duration? {
        let date = HTTPDate(secondsSince1970: now.milliseconds / 1_000)
        let asked = field("retry-after").flatMap { RetryAfter($0, now: date) }?.delay(from: date)
        return asked.flatMap { $0 <= RetryRequest.delayMax ? $0 : nil }
    }
}

extension HTTPCall {
    /// A GET of another URL, without content. What identifies the caller goes along to the same origin only.
    func following(_ url: String) -> HTTPCall {
        var call = self
        call.method = "GET"
        call.url = url
        call.body = nil
        call.redirectsMax = max(redirectsMax, 5)
        let isSameOrigin = hasSameOrigin(as: url)
        call.fields.removeAll { field in
            let name = field.name.lowercased()
            if name == "content-type" || name == "idempotency-key" { return true }
            return !isSameOrigin && name != "accept" && name != "user-agent"
        }
        return call
    }

    /// Whether it goes where `url` does.
    func hasSameOrigin(as url: String) -> Bool {
        (try? URLParts(self.url))?.origin == (try? URLParts(url))?.origin
    }
}
