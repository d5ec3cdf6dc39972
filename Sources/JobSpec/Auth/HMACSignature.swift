internal import HTTPMessage
internal import JobKit

/// Signatures with a shared key.
struct HMACSignature {
    let key: [UInt8]
    let digests: any MessageDigests

    /// Decodes a key: base64 after the prefix `whsec_`, otherwise the value itself.
    /// - Throws: `auth.signature` when there is no base64 after the prefix, or nothing.
    static func key(from value: [UInt8]) throws(AOperationError) -> [UInt8] {
        let mark = Array("whsec_".utf8)
        guard value.starts(with: mark) else { return value }
        guard let key = Base64.decode(value.dropFirst(mark.count)), !key.isEmpty else {
            throw AOperationError(
                .authSignature,
                detail:
                    "auth.key begins with whsec_, but no base64 key follows. Copy the whole key from the settings of the "
                    + "webhook.")
        }
        return key
    }

    /// Signs `call` at `now`.
    /// - Parameter id: the same in every attempt, so that the upstream recognises repetitions.
    func sign(
        _ call: inout HTTPCall, as scheme: HMACAuth.Scheme, id: String, at now: Timestamp
    ) throws(AOperationError) {
        let seconds = String(now.milliseconds / 1_000)
        var body = call.body ?? []
        if let source = call.source { body = try source.allBytes() }
        switch scheme {
        case .standardWebhooks:
            let message = Array("\(id).\(seconds).".utf8) + body
            call.fields.append(("webhook-id", id))
            call.fields.append(("webhook-timestamp", seconds))
            call.fields.append(("webhook-signature", "v1," + base64(of: message)))
        case .parts(let parts):
            let message = try message(parts.signed, of: call, seconds, body)
            let digest =
                parts.encoding == .base64
                ? base64(of: message)
                : HexText.encode(digests.hmacSHA256(key: key, message: message))
            if parts.signed.contains(.timestamp) { call.fields.append((parts.timestampHeader, seconds)) }
            call.fields.append((parts.header, parts.prefix + digest))
        }
    }

    private func message(
        _ parts: [HMACAuth.Part], of call: HTTPCall, _ seconds: String, _ body: [UInt8]
    ) throws(AOperationError) -> [UInt8] {
        guard let url = try? URLParts(call.url) else {
            throw AOperationError(.authSignature, detail: "The URL cannot be signed.")
        }
        var message: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if index > 0 { message.append(0x0A) }
            switch part {
            case .timestamp: message += Array(seconds.utf8)
            case .method: message += Array(call.method.utf8)
            case .host: message += Array(url.authority.utf8)
            case .target: message += Array((url.path + (url.query.map { "?\($0)" } ?? "")).utf8)
            case .body: message += body
            }
        }
        return message
    }

    private func base64(of message: [UInt8]) -> String {
        String(decoding: Base64.encode(digests.hmacSHA256(key: key, message: message)), as: UTF8.self)
    }
}

extension URLParts {
    /// The host as in the field `Host`: with the port unless it is the scheme's default.
    var authority: String { String(origin.dropFirst(scheme.utf8.count + 3)) }
}
