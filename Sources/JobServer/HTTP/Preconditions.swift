import HTTPMessage

/// The treatment of `If-Match` and the like (RFC 9110 §13.1). A condition that is not evaluated is refused rather than
/// ignored: a change must not be made when it is false (§13.2.1). `If-Modified-Since` counts for reads only.
enum Preconditions: Sendable {
    /// A read: they are compared with the `ETag` of its answer.
    case ofAnswer
    /// The handler evaluates them for what is stored.
    case ofVersion
    /// They are refused, whether or not the target exists.
    case refused

    /// Refuses a condition of a change that does not evaluate it.
    func check(_ head: HTTPRequestHead, of route: Route) throws(Problem) {
        guard case .refused = self, head.fields.contains(namesFrom: "if-"),
            let found = Self.fields.first(where: { head.fields.first($0.key) != nil })
        else { return }
        throw Problem(
            header: found.name,
            "\(found.name) is not evaluated here, so nothing was done. \(route.repetition.remedy) Then send it "
                + "without the field.")
    }

    /// The problem of a read whose `If-Match` does not name the tag of its answer (§13.1.1): who continues a download
    /// must not get the rest of another content. Only `*` names an answer without a tag.
    func problem(of head: HTTPRequestHead, answeredBy response: borrowing HTTPResponse) -> Problem? {
        guard head.fields.first("if-match") != nil, case .ofAnswer = self, response.status.code < 400,
            let match = head.fields.combined("if-match")
        else { return nil }
        guard let tag = response.fields["etag"] else {
            if match.utf8.elementsEqual("*".utf8) { return nil }
            return Problem(
                .preconditionFailed,
                "This answer has no ETag that If-Match could name. Without If-Match you get it.")
        }
        if EntityTag(tag)?.isNamed(inIfMatch: match) == true { return nil }
        return Problem(
            .preconditionFailed,
            "The ETag is \(tag), which If-Match does not name. Without If-Match you get what there is now.")
    }

    /// The fields, as they are found and as they are named.
    private static let fields = [
        (key: "if-match", name: "If-Match"), (key: "if-none-match", name: "If-None-Match"),
        (key: "if-unmodified-since", name: "If-Unmodified-Since"),
    ]
}

extension Repetition {
    /// The way to be sure without a condition.
    fileprivate var remedy: String {
        switch self {
        case .isHarmless: "Look first."
        case .isKeyed: "A submission makes a new job and replaces none; an Idempotency-Key makes it once."
        case .acts(let once): once
        }
    }
}
