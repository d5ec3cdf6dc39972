internal import HTTPMessage
internal import JobKit

/// The requirements of a download.
struct DownloadRules: Sendable {
    var bytesMax: Int
    /// The required length; nil accepts any.
    var size: Int?
    /// The required SHA-256 in lower case; nil accepts any.
    var sha256: String?
    /// The required media type; nil accepts any.
    var contentType: String?
    /// The statuses that bring content.
    var accepts: @Sendable (Int) -> Bool

    /// The meaning of an answer for a download.
    enum Meaning {
        /// The whole content, from its beginning.
        case whole
        /// The rest of the content, from the requested offset.
        case rest
        /// The content is complete already.
        case nothingLeft
        /// An error, or an answer of no use.
        case other
        /// The partial content is outdated: the download has to start over.
        case outdated(String)
    }

    /// Classifies the head of an answer.
    /// - Parameters:
    ///   - offset: the requested offset; 0 requested the whole content.
    ///   - past: the partial content.
    func meaning(
        status: Int, _ fields: [(name: String, value: String)], offset: Int, past: DownloadPast?
    ) -> Meaning {
        let field = fields.first { $0.name.lowercased() == "content-range" }?.value
        let part = field.flatMap { ContentRange($0) }
        switch status {
        case 206:
            guard let past, offset > 0 else {
                return .outdated("sent a part, although the whole was asked for")
            }
            guard let part, let bytes = part.bytes, bytes.lowerBound == offset else {
                let range = field.map { "\"\($0)\"" } ?? "no Content-Range"
                return .outdated("was asked for the bytes from \(offset) on and said \(range)")
            }
            if let total = past.total, let other = part.total, total != other {
                return .outdated("says that the content has \(other) bytes now; it had \(total)")
            }
            guard past.isSame(fields) else { return .outdated("sent a part of another content") }
            return .rest
        case 416 where offset > 0:
            guard let past, past.isSame(fields), part?.total == offset, past.total ?? offset == offset else {
                return .outdated("has no bytes from \(offset) on any more")
            }
            return .nothingLeft
        default: return accepts(status) ? .whole : .other
        }
    }

    /// The reason why content with this head is not worth fetching; nil when it is.
    func objection(to past: DownloadPast) -> HTTPCallFailure? {
        if let total = past.total {
            if total > bytesMax { return Self.tooLarge(total, bytesMax) }
            if let size, size != total { return Self.failure(.downloadSize, Self.wrongSize(size, total)) }
        }
        if let contentType {
            let got = past.head.contentType.flatMap { MediaType($0) }
            let wanted = MediaType(contentType)
            let isSame = got?.type == wanted?.type && got?.subtype == wanted?.subtype
            if !isSame || got == nil {
                return Self.failure(
                    .expectContentType,
                    "Expected \(contentType), got \(past.head.contentType ?? "no content type").")
            }
        }
        return nil
    }

    static func tooLarge(_ bytes: Int, _ most: Int) -> HTTPCallFailure {
        failure(
            .bodyTooLarge,
            "The content has \(bytes) bytes or more; at most \(most) are taken (save.max_bytes).")
    }

    static func wrongSize(_ wanted: Int, _ got: Int) -> String {
        "The content must have \(wanted) bytes (verify.size), and has \(got)."
    }

    static func failure(_ code: ErrorCode, _ detail: String) -> HTTPCallFailure {
        HTTPCallFailure(code: code.description, detail: detail, phase: .receive, delivery: .answered)
    }
}
