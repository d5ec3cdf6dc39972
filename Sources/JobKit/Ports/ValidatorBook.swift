package import HTTPMessage

/// The validators of the last good answers, for conditional calls (RFC 9110 §13).
package protocol ValidatorBook: Sendable {
    /// The validators of the last good answer to such a request; nil when there is none, or it is long ago.
    func validator(for key: String) async throws -> AnswerValidator?

    /// Stores the validator of a good answer, replacing an earlier one. Returns when it is durable.
    func remember(_ validator: AnswerValidator, for key: String) async throws
}

/// The validators that upstream gave an answer.
package struct AnswerValidator: Sendable, Hashable {
    /// The value of `ETag`, as it came.
    package var entityTag: String?
    /// The value of `Last-Modified`, as it came.
    package var lastModified: String?
    /// The job of which the answer is the result of an operation.
    package var job: String
    /// The names from below the root down to that operation.
    package var path: [String]

    /// A mark.
    package init(entityTag: String?, lastModified: String?, job: String, path: [String]) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.job = job
        self.path = path
    }

    /// The longest value that is kept.
    static let valueBytesMax = 1_024

    /// The marks of an answer; nil when it has none that can be sent back.
    package init?(_ answer: HTTPCallAnswer, job: String, path: [String]) {
        func usable(_ name: String) -> String? {
            answer.field(name).flatMap { value in
                let isUsable =
                    !value.isEmpty && value.utf8.count <= Self.valueBytesMax && FieldText.isValue(value)
                return isUsable ? value : nil
            }
        }
        self.init(
            entityTag: usable("etag"), lastModified: usable("last-modified"), job: job, path: path)
        if entityTag == nil && lastModified == nil { return nil }
    }
}
