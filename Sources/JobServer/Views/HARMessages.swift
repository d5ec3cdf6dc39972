import HTTPMessage
import JobKit
import JobSpec
import StrictJSON

/// The request of an entry of an HTTP Archive.
struct HARRequest {
    private let call: HTTPCall?
    private let isWhole: Bool
    private let version: String

    /// Creates the request; nil means that it cannot be reconstructed.
    init(_ request: (call: HTTPCall, isWhole: Bool)?, _ attempt: AttemptRecord) {
        call = request?.call
        isWhole = request?.isWhole ?? false
        version = attempt.exchange?.protocolName ?? "HTTP/1.1"
    }

    /// Writes the request as one JSON object.
    func write(to json: inout JSONWriter) {
        let url = HARHiding.url(call?.url ?? "")
        json.beginObject()
        json.member("method", call?.method ?? "GET")
        json.member("url", url)
        json.member("httpVersion", version)
        json.emptyList("cookies")
        json.name("headers")
        json.beginArray()
        for field in call?.fields ?? [] {
            json.pair(field.name, CredentialName.isOne(field.name) ? HARHiding.hidden : field.value)
        }
        json.endArray()
        json.name("queryString")
        json.beginArray()
        for (name, value) in HARHiding.query(of: url) { json.pair(name, value) }
        json.endArray()
        if let body = call?.body {
            json.name("postData")
            json.beginObject()
            json.member("mimeType", type)
            json.member("text", HARHiding.text(body).text)
            if HARHiding.text(body).isBase64 { json.member("_encoding", "base64") }
            json.emptyList("params")
            json.endObject()
        }
        json.member("headersSize", -1)
        json.member("bodySize", call?.body?.count ?? (isWhole ? 0 : -1))
        json.endObject()
    }

    private var type: String {
        call?.fields.first { $0.name.lowercased() == "content-type" }?.value ?? "application/octet-stream"
    }
}

/// The response of an entry of an HTTP Archive. Its status is 0 when none was received.
struct HARResponse {
    private let attempt: AttemptRecord
    private let status: Int
    private let fields: [(name: String, value: String)]
    private let content: [UInt8]?
    private let artifactBytes: Int?
    private let type: String

    /// - Parameter result: the operation's result, when this attempt produced it; a failed attempt has the beginning of
    ///   the content in its error.
    init(_ attempt: AttemptRecord, result: OperationResult?) {
        self.attempt = attempt
        status = attempt.status ?? attempt.error?.upstream?.status ?? 0
        if let result {
            fields = result.headers.map { ($0.name, $0.value) }
            content = result.artifact == nil ? result.body : nil
        } else {
            let upstream = attempt.error?.upstream
            fields = upstream?.headers.members.map { ($0.name, $0.value.string ?? "") } ?? []
            content = upstream?.bodyExcerpt.map { Array($0.utf8) }
        }
        artifactBytes = result?.artifact?.bytes
        type = result?.contentType ?? fields.first { $0.name == "content-type" }?.value ?? "x-unknown"
    }

    /// Writes the response as one JSON object.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("status", status)
        json.member("statusText", HTTPStatus(code: status)?.reason ?? "")
        json.member("httpVersion", attempt.exchange?.protocolName ?? "")
        json.emptyList("cookies")
        json.name("headers")
        json.beginArray()
        for field in fields {
            json.pair(field.name, CredentialName.isOne(field.name) ? HARHiding.hidden : field.value)
        }
        json.endArray()
        json.name("content")
        json.beginObject()
        json.member("size", content?.count ?? artifactBytes ?? (status == 0 ? 0 : -1))
        json.member("mimeType", type)
        if let content {
            let shown = HARHiding.text(content)
            json.member("text", shown.text)
            if shown.isBase64 { json.member("encoding", "base64") }
        }
        json.endObject()
        json.member("redirectURL", fields.first { $0.name == "location" }?.value ?? "")
        json.member("headersSize", -1)
        json.member("bodySize", -1)
        if let error = attempt.error { json.member("_error", "\(error.code): \(error.detail)") }
        json.endObject()
    }
}

/// Redaction of credentials in an archive.
enum HARHiding {
    /// The replacement for a credential.
    static let hidden = CallSite.hidden

    /// A URL with the values of sensitive parameters replaced.
    static func url(_ url: String) -> String {
        let bytes = url.utf8
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return url }
        let parts = bytes[mark...].dropFirst().split(
            separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let shown = parts.map { part -> String in
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return String(Substring(part)) }
            let name = String(Substring(part[..<equals]))
            return CredentialName.isOne(name) ? "\(name)=\(hidden)" : String(Substring(part))
        }
        return String(Substring(bytes[..<mark])) + "?" + shown.joined(separator: "&")
    }

    /// The parameters of a URL.
    static func query(of url: String) -> [(String, String)] {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return [] }
        let query = url.utf8[mark...].dropFirst().prefix { $0 != UInt8(ascii: "#") }
        return query.split(separator: UInt8(ascii: "&")).map { part in
            let sides = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
            ).map { side in
                let text = String(Substring(side))
                return PercentCoding.decode(text) ?? text
            }
            return (sides[0], sides.count > 1 ? sides[1] : "")
        }
    }

    /// Content as text, or as base64 when it is not UTF-8.
    static func text(_ bytes: [UInt8]) -> (text: String, isBase64: Bool) {
        if let text = String(validating: bytes, as: UTF8.self) { return (text, false) }
        return (String(decoding: Base64.encode(bytes), as: UTF8.self), true)
    }
}

extension JSONWriter {
    fileprivate mutating func pair(_ name: String, _ value: String) {
        beginObject()
        member("name", name)
        member("value", value)
        endObject()
    }

    fileprivate mutating func emptyList(_ name: String) {
        self.name(name)
        beginArray()
        endArray()
    }
}
