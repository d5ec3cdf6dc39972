internal import HTTPMessage
internal import JobKit
internal import StrictJSON
internal import Synchronization

/// Calls until the upstream is done. Each poll is an attempt; an answered poll that is not done does not count against
/// the limit of attempts, and the wait after it is durable.
struct PollOperation: Sendable {

    let name: String
    let poll: PollSpec
    let expect: Expectation
    /// Answers references to other operations.
    let references: ReferenceReader

    /// The polls with their retry rule.
    func recipe(retry: RetrySpec) -> OperationRecipe<OperationResult> {
        let isFollowing = Flag()
        var recipe = OperationRecipe<OperationResult>(name) { context in
            try await self.execute(in: context, isFollowing)
        }
        let method = HTTPMethod(poll.call.method) ?? .get
        recipe.settings = OperationSettings(
            calling: poll.call, retry: retry,
            url: { context in
                context.remembered(NoteName.follow)?.string ?? poll.call.nextURL(references, in: context)
            },
            repeats: { isFollowing.isRaised ? .get : method })
        recipe.settings.safeOnceNoted = NoteName.follow
        if let decide = recipe.settings.decideRetry {
            // An accepted request is not repeated, whatever the retry policy.
            recipe.settings.decideRetry = { error, situation in
                error.code == .pollLocation ? .stop("policy") : decide(error, situation)
            }
        }
        recipe.settings.poll = .init(wait: poll.wait, pollsMax: poll.pollsMax)
        return recipe
    }

    private func execute(in context: OperationContext, _ isFollowing: Flag) async throws -> OperationResult {
        let references = references.attempt(in: context)
        let followed = context.remembered(NoteName.follow)?.string
        if followed != nil { isFollowing.raise() }
        let dispatch = try CallDispatch(poll.call, by: references.board.services, in: context, references)
        var url = poll.call.url
        let captured = try await context.capture(dispatch, of: name) { request in
            if let followed { request = request.following(followed) }
            url = request.url
        }
        let (answer, result) = (captured.answer, captured.result)
        if let error = try await expect.check(captured, references) { throw error }
        let place = references.board.artifacts
        let finding = try await references.evaluate { [poll] lookup throws(AOperationError) in
            try poll.finding(in: result, from: place, lookup: lookup)
        }
        var why = ""
        switch finding {
        case .failed:
            throw AOperationError(
                .pollFailed, title: ErrorCode.pollFailed.title,
                detail: "The answer meets fail_if.", answer: answer
            ).pointing(to: .beginning)
        case .done: return result
        case .notDone(let shortfall): why = ": \(shortfall)"
        case .open: break
        }
        let isOver = finding == .open && answer.status != 202
        let next =
            poll.follows ? try monitor(in: answer, of: url, dispatch, followed, isOver: isOver) : nil
        if let next, next != followed {
            try await context.remember(.string(next), as: NoteName.follow)
            isFollowing.raise()
        } else if isOver {
            return result
        }
        throw NotYet(
            retryAfter: answer.retryAfter(context.clock.now),
            error: AOperationError(
                .pollExhausted, title: ErrorCode.pollExhausted.title,
                detail:
                    "The upstream was not done after \(poll.pollsMax) polls\(why). "
                    + "Raise max_polls, wait longer with every, or look whether until asks for the right place.",
                answer: answer))
    }
}

extension PollOperation {
    /// The URL of the next polls according to an answer; nil repeats the same call.
    /// - Throws: `poll.location` when the location is unusable, and when there is none and the same call would do the
    ///   work again.
    private func monitor(
        in answer: HTTPCallAnswer, of url: String, _ dispatch: CallDispatch, _ followed: String?, isOver: Bool
    ) throws(AOperationError) -> String? {
        let isRepeatable = followed != nil || HTTPMethod(poll.call.method)?.isSafe == true
        guard let (field, text) = answer.monitor else {
            if isRepeatable || isOver { return nil }
            throw unfollowable(
                answer,
                "The answer has no \(answer.status == 202 ? "Location and no " : "")Operation-Location")
        }
        let address = text.utf8.prefix { $0 != UInt8(ascii: "#") }
        if !isRepeatable, address.allSatisfy({ $0 == UInt8(ascii: " ") }) {
            throw unfollowable(answer, "The \(field) of the answer names nothing but the call itself")
        }
        do {
            let base = answer.exchange.effectiveURL ?? url
            let next = try URLReference.resolve(text, against: base)
            return dispatch.sentForm(of: next, after: url)
        } catch {
            throw unfollowable(answer, "The \(field) of the answer cannot be followed", error.detail)
        }
    }

    private func unfollowable(
        _ answer: HTTPCallAnswer, _ what: String, _ why: String? = nil
    ) -> AOperationError {
        let isSafe = HTTPMethod(poll.call.method)?.isSafe == true
        let stays = isSafe ? "" : " The \(poll.call.method) was accepted and is not sent again."
        return AOperationError(
            .pollLocation, title: ErrorCode.pollLocation.title,
            detail:
                "\(what)\(why.map { ": \($0)" } ?? ", so there is nothing to poll.")\(stays) Find the URL in the "
                + "answer, and poll it with a separate operation.",
            answer: answer)
    }
}

extension PollSpec {
    /// The meaning of an answer for the work that is waited for.
    fileprivate enum Finding: Sendable, Equatable {
        case failed, done
        /// With the reason, as a part of a sentence.
        case notDone(String)
        /// There is no `until`: the status decides.
        case open
    }

    /// An answer that `fail_if` or `until` cannot look into, such as the error page of a proxy, is no verdict: the next
    /// poll asks again. Nothing in an answer without content says that the work failed.
    fileprivate func finding(
        in result: OperationResult, from place: (any ArtifactPlace)?, lookup: Binding.Lookup
    ) throws(AOperationError) -> Finding {
        if let failIf {
            switch try result.verdict(of: failIf, from: place, lookup: lookup).0 {
            case .holds: return .failed
            case .fails: break
            case .unknown(let error):
                if result.byteCount > 0 { return .notDone(error.detailWithoutEnd) }
            }
        }
        guard let until else { return .open }
        let (verdict, shortfall) = try result.verdict(of: until, from: place, lookup: lookup)
        return verdict.holds ? .done : .notDone(shortfall ?? "until does not hold")
    }
}

/// Something that becomes true once.
private final class Flag: Sendable {
    private let value = Mutex(false)
    var isRaised: Bool { value.withLock { $0 } }
    func raise() { value.withLock { $0 = true } }
}

extension HTTPCallAnswer {
    /// The field with the location of the next poll, and its value: `Operation-Location`, or `Location` when the work
    /// was accepted.
    fileprivate var monitor: (field: String, text: String)? {
        if let text = field("operation-location") { return ("Operation-Location", text) }
        return status == 202 ? field("location").map { ("Location", $0) } : nil
    }

    fileprivate func retryAfter(_ now: Timestamp) -> Duration? {
        let date = HTTPDate(secondsSince1970: now.milliseconds / 1_000)
        let delay = field("retry-after").flatMap { RetryAfter($0, now: date) }?.delay(from: date)
        return delay.flatMap { $0 <= RetryRequest.delayMax ? $0 : nil }
    }
}

extension HTTPCall {
    /// A GET of another URL, without content. Credentials are sent to the same origin only.
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
