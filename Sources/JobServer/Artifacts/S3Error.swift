import JobKit

/// An error answer of S3: an XML document with a code and a message.
struct S3Error: Sendable {
    let status: Int
    let code: String
    let message: String

    init(status: Int, body: [UInt8]) {
        self.status = status
        code = S3XML.text(of: "Code", in: body) ?? ""
        message = S3XML.text(of: "Message", in: body) ?? ""
    }

    /// Whether the same request may succeed later.
    var isPassing: Bool {
        status >= 500 || status == 429 || ["RequestTimeout", "SlowDown", "InternalError"].contains(code)
    }

    /// The failure with a remedy.
    func failure(of address: S3Address) -> ArtifactFailure {
        let answer = "\(address.description) at \(address.endpoint) answered \(status)"
        let words = code.isEmpty ? answer : "\(answer) \(code)\(message.isEmpty ? "" : " (\(message))")"
        switch code {
        case "NoSuchKey": return ArtifactFailure(.missing, "\(words). Run the job again to fetch it.")
        case "NoSuchBucket":
            return ArtifactFailure(
                .unavailable, "\(words). Make the bucket, or name another one with --artifacts.")
        case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken":
            return ArtifactFailure(
                .unavailable, "\(words). Check the access key, the secret key and --s3-region.")
        case "AccessDenied":
            return ArtifactFailure(
                .unavailable,
                "\(words). The bucket must exist, and the key may get, put and delete objects behind this prefix."
            )
        case "RequestTimeTooSkewed":
            return ArtifactFailure(.unavailable, "\(words). Set the clock of this machine.")
        case "QuotaExceeded", "InsufficientStorage":
            return ArtifactFailure(.full, "\(words). Free some space in the bucket.")
        default:
            if status == 404 { return ArtifactFailure(.missing, "\(words). Run the job again to fetch it.") }
            return ArtifactFailure(.unavailable, "\(words). Try again later.")
        }
    }
}

/// The little XML that S3's answers need.
enum S3XML {
    /// The text of the first element with this name.
    static func text(of name: String, in body: [UInt8]) -> String? {
        let text = String(decoding: body, as: UTF8.self)
        guard let start = text.firstRange(of: "<\(name)>"),
            let end = text[start.upperBound...].firstRange(of: "</\(name)>")
        else { return nil }
        var content = String(text[start.upperBound..<end.lowerBound])
        for (entity, character) in [
            ("&quot;", "\""), ("&apos;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&#34;", "\""), ("&#39;", "'"),
            ("&amp;", "&"),
        ] { content = content.replacing(entity, with: character) }
        return content
    }

    /// By bytes: "<" with a combining mark behind it is one grapheme.
    private static func escaped(_ text: String) -> String {
        let bytes = text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case 0x26: Array("&amp;".utf8)
            case 0x3C: Array("&lt;".utf8)
            default: [byte]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The document that completes an upload in parts.
    static func completion(_ tags: [String]) -> [UInt8] {
        var text = #"<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">"#
        for (index, tag) in tags.enumerated() {
            text += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(escaped(tag))</ETag></Part>"
        }
        return Array((text + "</CompleteMultipartUpload>").utf8)
    }
}
