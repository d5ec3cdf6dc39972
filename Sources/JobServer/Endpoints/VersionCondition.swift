import HTTPMessage
import StrictJSON

/// The condition of a change of something stored under a name: `If-Match` with its `ETag`, or `If-None-Match: *` for
/// one that must be new (RFC 9110 §13.1).
struct VersionCondition: Sendable {
    private let match: String?
    private let isForNew: Bool

    /// The tag of a version.
    static func tag(_ version: Int64) -> String { "\"\(version)\"" }

    /// - Throws: `.invalidHeader` for a condition that cannot be evaluated.
    init(_ fields: HTTPFields) throws(Problem) {
        match = fields.combined("if-match")
        let none = fields.combined("if-none-match")
        isForNew = none != nil
        if let none, none != "*" || match != nil {
            throw Problem(
                header: "If-None-Match",
                "If-None-Match can only be * here, for what must not exist, and without If-Match.")
        }
        if fields.contains("if-unmodified-since") {
            throw Problem(
                header: "If-Unmodified-Since", "Send If-Match with the ETag instead of If-Unmodified-Since.")
        }
    }

    /// The version that a change may replace: 0 for none, nil for any.
    /// - Parameter version: the version that there is, 0 for none.
    /// - Throws: `.preconditionFailed` when the condition is false.
    func version(of name: String, now version: Int64) throws(Problem) -> Int64? {
        let holds: Bool
        if isForNew {
            holds = version == 0
        } else if let match {
            holds = version > 0 && EntityTag(Self.tag(version))?.isNamed(inIfMatch: match) == true
        } else {
            return nil
        }
        if holds { return version }
        throw Self.failure(of: name, now: version)
    }

    /// The problem of a version that is not the one that a request expects.
    static func failure(of name: String, now version: Int64) -> Problem {
        let found = version == 0 ? "\(name) does not exist" : "\(name) has the ETag \(tag(version))"
        return Problem(
            .preconditionFailed, "\(found), which is not what the request expects. Nothing was changed.")
    }
}
