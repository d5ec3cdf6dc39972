package import HTTPMessage
package import JobKit

/// The keys that sign a call to AWS.
package struct AWSCredentials: Sendable, Hashable {
    var accessKey: String
    var secretKey: String
    var sessionToken: String?
    var region: String
    var service: String

    package init(
        accessKey: String, secretKey: String, sessionToken: String? = nil, region: String, service: String
    ) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
        self.region = region
        self.service = service
    }
}

/// Signature Version 4 of AWS, in the field `Authorization`.
///
/// Signs everything except what intermediaries may change: all fields except `User-Agent` and `X-Amzn-Trace-Id`, the
/// whole query, and the digest of the content. Services other than S3 expect the path encoded twice, without empty and
/// dot segments.
package struct AWSSignature {
    private static let algorithm = "AWS4-HMAC-SHA256"
    private static let unsigned: Set<String> = [
        "authorization", "user-agent", "x-amzn-trace-id", "expect", "transfer-encoding", "connection",
    ]

    let credentials: AWSCredentials
    let digests: any MessageDigests

    package init(credentials: AWSCredentials, digests: any MessageDigests) {
        self.credentials = credentials
        self.digests = digests
    }

    /// The URL with everything in path and query encoded that may be, so that both sides see the same text. Nil when it
    /// is malformed, or grows too long.
    static func sentForm(of url: String) -> String? {
        guard let given = try? URLParts(url) else { return nil }
        let query = canonicalQuery(given.query ?? "").sent
        let sent = given.origin + strictlyEncoded(path: given.path) + (query.isEmpty ? "" : "?\(query)")
        return (try? URLParts(sent))?.text
    }

    /// Signs `call` at `now`; its URL takes the form in which it is sent.
    /// - Throws: `auth.signature` when the URL is malformed, or content cannot be read.
    package func sign(_ call: inout HTTPCall, at now: Timestamp) throws(AOperationError) {
        guard let sent = Self.sentForm(of: call.url), let url = try? URLParts(sent) else {
            throw AOperationError(
                .authSignature, detail: "The URL is malformed, or its encoded form is too long to be signed.")
        }
        call.url = sent
        let time = AWSTime(now)
        let payload = try payloadDigest(call, url)
        call.fields.removeAll { ["x-amz-date", "authorization"].contains($0.name.lowercased()) }
        call.fields.append(("X-Amz-Date", time.text))
        if let token = credentials.sessionToken { call.fields.append(("X-Amz-Security-Token", token)) }
        if isS3 {
            call.fields.removeAll { $0.name.lowercased() == "x-amz-content-sha256" }
            call.fields.append(("X-Amz-Content-SHA256", payload))
        }
        let (names, lines) = signedFields(call, url)
        let path = isS3 ? url.path : PercentCoding.encodeAgain(Self.normalized(url.path))
        let query = Self.canonicalQuery(url.query ?? "").signed
        let canonical = [call.method, path, query, lines, names, payload].joined(separator: "\n")
        let scope = "\(time.day)/\(credentials.region)/\(credentials.service)/aws4_request"
        let text = [
            Self.algorithm, time.text, scope, HexText.encode(digests.sha256(Array(canonical.utf8))),
        ].joined(separator: "\n")
        let signature = HexText.encode(hmac(signingKey(time.day), text))
        call.fields.append(
            (
                "Authorization",
                "\(Self.algorithm) Credential=\(credentials.accessKey)/\(scope), SignedHeaders=\(names), "
                    + "Signature=\(signature)"
            ))
    }

    private var isS3: Bool {
        ["s3", "s3-object-lambda", "s3-outposts", "s3express"].contains(credentials.service)
    }

    private func signingKey(_ day: String) -> [UInt8] {
        var key = Array("AWS4\(credentials.secretKey)".utf8)
        for part in [day, credentials.region, credentials.service, "aws4_request"] { key = hmac(key, part) }
        return key
    }

    private func hmac(_ key: [UInt8], _ text: String) -> [UInt8] {
        digests.hmacSHA256(key: key, message: Array(text.utf8))
    }

    /// The digest of the content. Streamed content is read twice, except over TLS to S3, which accepts it unsigned.
    private func payloadDigest(_ call: HTTPCall, _ url: URLParts) throws(AOperationError) -> String {
        guard let source = call.source else { return HexText.encode(digests.sha256(call.body ?? [])) }
        if isS3 && url.isHTTPS { return "UNSIGNED-PAYLOAD" }
        return HexText.encode(digests.sha256(try source.allBytes()))
    }

    /// The names of the signed fields separated by semicolons, and a line for each of them.
    private func signedFields(_ call: HTTPCall, _ url: URLParts) -> (names: String, lines: String) {
        var values: [String: [String]] = ["host": [url.authority]]
        for field in call.fields {
            let name = field.name.lowercased()
            if !Self.unsigned.contains(name) { values[name, default: []].append(Self.collapsed(field.value)) }
        }
        let names = values.keys.sorted()
        let lines = names.map { "\($0):\((values[$0] ?? []).joined(separator: ","))\n" }
        return (names.joined(separator: ";"), lines.joined())
    }

    /// Trims spaces, and collapses runs of them.
    private static func collapsed(_ value: String) -> String {
        value.utf8.split { $0 == 0x20 || $0 == 0x09 }.map { String(Substring($0)) }.joined(separator: " ")
    }

    /// The query with each name and value strictly encoded, in the order sent and in the order signed.
    private static func canonicalQuery(_ query: String) -> (sent: String, signed: String) {
        var pairs: [(name: String, value: String)] = []
        for part in query.split(separator: "&", omittingEmptySubsequences: true) {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            pairs.append(
                (strictlyEncoded(halves[0]), halves.count > 1 ? strictlyEncoded(halves[1]) : ""))
        }
        func text(_ pairs: [(name: String, value: String)]) -> String {
            pairs.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        }
        let sorted = pairs.sorted { left, right in
            let order = (Array(left.name.utf8), Array(right.name.utf8))
            if order.0 != order.1 { return order.0.lexicographicallyPrecedes(order.1) }
            return left.value.utf8.lexicographicallyPrecedes(right.value.utf8)
        }
        return (text(pairs), text(sorted))
    }

    /// A part of a query, decoded (with `+` for a space) and encoded again.
    private static func strictlyEncoded(_ part: Substring) -> String {
        PercentCoding.decode(String(part), plusIsSpace: true).map { PercentCoding.encode($0) } ?? String(part)
    }

    /// A path with each segment decoded and encoded again.
    private static func strictlyEncoded(path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            PercentCoding.decode(String(segment)).map { PercentCoding.encode($0) } ?? String(segment)
        }.joined(separator: "/")
    }

    /// The path without empty and dot segments; a trailing slash stays.
    private static func normalized(_ path: String) -> String {
        var segments: [Substring] = []
        for segment in path.split(separator: "/") where segment != "." {
            if segment == ".." {
                _ = segments.popLast()
            } else {
                segments.append(segment)
            }
        }
        let end = path.hasSuffix("/") && !segments.isEmpty ? "/" : ""
        return "/" + segments.joined(separator: "/") + end
    }
}

/// A timestamp in AWS's format, `20261121T103000Z`, and its day.
private struct AWSTime {
    let text: String
    let day: String

    init(_ time: Timestamp) {
        // 2026-11-21T10:30:00.123Z
        let digits = time.description.utf8.filter { $0 != 0x2D && $0 != 0x3A }
        text = String(decoding: digits.prefix(15), as: UTF8.self) + "Z"
        day = String(decoding: digits.prefix(8), as: UTF8.self)
    }
}

extension PercentCoding {
    /// An encoded path, encoded again.
    fileprivate static func encodeAgain(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { encode(String($0)) }.joined(
            separator: "/")
    }
}
