internal import HTTPMessage
package import JobKit
internal import StrictJSON

// DESIGN
// Signatures are over the raw bytes. Candidates are compared with what each key makes of them, in constant time, and
// only then is the signed time looked at: a forger learns nothing about the clock, and "too old" is said of requests
// that the sender did sign.

/// Verifies that requests from outside are their sender's.
package struct RequestVerifier: Sendable {
    private let spec: VerifySpec
    private let keys: [[UInt8]]
    private let checks: any SignatureChecks

    /// The most signatures of one request that are compared.
    private static let signaturesMax = 16

    /// - Parameter vault: the secrets that the owner of the spec may use.
    /// - Throws: `.noKey` when none of the secrets exists.
    package init(
        _ spec: VerifySpec, vault: any SecretVault, checks: any SignatureChecks
    ) throws(VerifyRefusal) {
        self.spec = spec
        self.checks = checks
        keys = spec.secrets.compactMap { vault.secret(named: $0) }
        if keys.isEmpty, spec.scheme != .none {
            let names = spec.secrets.joined(separator: ", ")
            throw VerifyRefusal(
                .noKey,
                "There is no secret \(names), which verifies the sender. Store it with PUT /v1/secrets/{name}."
            )
        }
    }

    /// Returns when the request is its sender's.
    /// - Throws: why it is not.
    package func verify(_ request: ArrivedRequest, at now: Timestamp) throws(VerifyRefusal) {
        switch spec.scheme {
        case .none: break
        case .basic: try verifyBasic(request)
        case .bearer: try verifyToken(request)
        case .standardWebhooks: try verifyStandard(request, now)
        case .stripe: try verifyStripe(request, now)
        case .slack:
            let time = try field("x-slack-request-timestamp", request)
            let message = Array("v0:".utf8) + time + [0x3A] + request.body
            try expect(hex("x-slack-signature", "v0=", request), of: message)
            try check(time, now)
        case .github: try expect(hex("x-hub-signature-256", "sha256=", request), of: request.body)
        case .shopify: try expect(base64("x-shopify-hmac-sha256", "", request), of: request.body)
        case .hmac: try verifyParts(request, now)
        }
    }

    // MARK: Schemes

    private func verifyStandard(_ request: ArrivedRequest, _ now: Timestamp) throws(VerifyRefusal) {
        // Svix, which the standard comes from, has names of its own.
        let isSvix = !request.fields.contains("webhook-id") && request.fields.contains("svix-id")
        let family = isSvix ? "svix" : "webhook"
        let id = try field("\(family)-id", request)
        let time = try field("\(family)-timestamp", request)
        let signatures = try field("\(family)-signature", request)
        let message = id + [0x2E] + time + [0x2E] + request.body
        let known = keys.map { StandardKey($0, message, checks) }
        var isReadable = false
        // One of them costs as much as many of the others, and each key is tried with each signature.
        var open = OpenChecks(left: Self.signaturesMax)
        for text in signatures.split(separator: 0x20).prefix(Self.signaturesMax) {
            let halves = text.split(separator: 0x2C, maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, let signature = Base64.decode(halves[1]) else { continue }
            isReadable = true
            for key in known where isSigned(message, halves[0], signature, by: key, &open) {
                return try check(time, now)
            }
        }
        throw isReadable ? wrong("\(family)-signature") : unreadable("\(family)-signature", "v1,…")
    }

    /// The checks with open keys that one request may still cost.
    private struct OpenChecks {
        var left: Int

        mutating func take() -> Bool {
            left -= 1
            return left >= 0
        }
    }

    /// A key of Standard Webhooks, whose prefix says what it is for.
    private enum StandardKey {
        case open([UInt8])
        /// With its signature of the message: that is made once, however many signatures a request brings.
        case shared(signature: [UInt8])
        case unreadable

        init(_ key: [UInt8], _ message: [UInt8], _ checks: any SignatureChecks) {
            if key.starts(with: publicMark) {
                self = Base64.decode(key.dropFirst(publicMark.count)).map { .open($0) } ?? .unreadable
            } else if let shared = try? HMACSignature.key(from: key) {
                self = .shared(signature: checks.hmacSHA256(key: shared, message: message))
            } else {
                self = .unreadable
            }
        }
    }

    private func isSigned(
        _ message: [UInt8], _ version: ArraySlice<UInt8>, _ signature: [UInt8], by key: StandardKey,
        _ open: inout OpenChecks
    ) -> Bool {
        switch key {
        case .open(let known):
            version.elementsEqual("v1a".utf8) && open.take()
                && checks.isEd25519(signature, of: message, by: known)
        case .shared(let expected):
            version.elementsEqual("v1".utf8) && checks.areEqual(expected, signature)
        case .unreadable: false
        }
    }

    private static let publicMark = Array("whpk_".utf8)

    private func verifyStripe(_ request: ArrivedRequest, _ now: Timestamp) throws(VerifyRefusal) {
        let name = "stripe-signature"
        var time: ArraySlice<UInt8>?
        var signatures: [[UInt8]] = []
        for pair in try field(name, request).split(separator: 0x2C) {
            let trimmed = pair.drop { $0 == 0x20 }
            if trimmed.starts(with: "t=".utf8), time == nil { time = trimmed.dropFirst(2) }
            guard trimmed.starts(with: "v1=".utf8), signatures.count < Self.signaturesMax else { continue }
            if let signature = Self.hex(trimmed.dropFirst(3)) { signatures.append(signature) }
        }
        guard let time, !signatures.isEmpty else { throw unreadable(name, "t=…,v1=…") }
        let message = time + [0x2E] + request.body
        let expected = keys.map { checks.hmacSHA256(key: $0, message: Array(message)) }
        guard signatures.contains(where: { one in expected.contains { checks.areEqual($0, one) } }) else {
            throw wrong(name)
        }
        try check(Array(time), now)
    }

    private func verifyParts(_ request: ArrivedRequest, _ now: Timestamp) throws(VerifyRefusal) {
        let parts = spec.parts
        var message: [UInt8] = []
        var time: [UInt8]?
        for (index, part) in parts.signed.enumerated() {
            if index > 0 { message += Array(parts.separator.utf8) }
            switch part {
            case .of(.timestamp):
                let sent = try field(parts.timestampHeader.lowercased(), request)
                time = sent
                message += sent
            case .of(.method): message += Array(request.method.utf8)
            case .of(.host): message += request.host
            case .of(.target): message += request.target
            case .of(.body): message += request.body
            case .field(let name): message += try field(name.lowercased(), request)
            case .text(let text): message += Array(text.utf8)
            }
        }
        let name = parts.header.lowercased()
        let signature =
            parts.encoding == .hex
            ? try hex(name, parts.prefix, request) : try base64(name, parts.prefix, request)
        try expect(signature, of: message, parts.digest)
        if let time { try check(time, now) }
    }

    private func verifyBasic(_ request: ArrivedRequest) throws(VerifyRefusal) {
        let sent = try credentials("Basic ", request)
        guard let pair = Base64.decode(sent) else { throw unreadable("authorization", "Basic …") }
        let name = Array(spec.username.utf8) + [0x3A]
        try expect(pair, oneOf: keys.map { name + $0 })
    }

    private func verifyToken(_ request: ArrivedRequest) throws(VerifyRefusal) {
        if let header = spec.header {
            return try expect(field(header.lowercased(), request), oneOf: keys)
        }
        try expect(credentials("Bearer ", request), oneOf: keys)
    }

    // MARK: Fields

    /// The only value of a field.
    private func field(_ name: String, _ request: ArrivedRequest) throws(VerifyRefusal) -> [UInt8] {
        guard let value = request.fields.first(name), !value.isEmpty else {
            throw VerifyRefusal(.missing, "The field \(name) is missing.")
        }
        guard request.fields.count(of: name) == 1 else {
            throw VerifyRefusal(.malformed, "The field \(name) is there more than once.")
        }
        return Array(value)
    }

    /// The rest of a field after a prefix.
    private func rest(
        _ name: String, _ prefix: String, _ request: ArrivedRequest
    ) throws(VerifyRefusal) -> ArraySlice<UInt8> {
        let value = try field(name, request)
        guard value.starts(with: prefix.utf8) else { throw unreadable(name, prefix + "…") }
        return value.dropFirst(prefix.utf8.count)
    }

    private func hex(
        _ name: String, _ prefix: String, _ request: ArrivedRequest
    ) throws(VerifyRefusal) -> [UInt8] {
        guard let bytes = Self.hex(try rest(name, prefix, request)) else {
            throw unreadable(name, prefix + "hex")
        }
        return bytes
    }

    private func base64(
        _ name: String, _ prefix: String, _ request: ArrivedRequest
    ) throws(VerifyRefusal) -> [UInt8] {
        guard let bytes = Base64.decode(try rest(name, prefix, request)) else {
            throw unreadable(name, prefix + "base64")
        }
        return bytes
    }

    /// The rest of `Authorization` after the scheme, whose case does not matter.
    private func credentials(
        _ scheme: String, _ request: ArrivedRequest
    ) throws(VerifyRefusal) -> [UInt8] {
        let value = try field("authorization", request)
        let sent = String(decoding: value.prefix(scheme.utf8.count), as: UTF8.self)
        guard sent.lowercased().hasSameBytes(as: scheme.lowercased()) else {
            throw unreadable("authorization", "\(scheme)…")
        }
        return Array(value.dropFirst(scheme.utf8.count).drop { $0 == 0x20 })
    }

    private static func hex(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        bytes.count > 128 ? nil : HexText.decode(String(decoding: bytes, as: UTF8.self))
    }

    // MARK: Verdicts

    private func expect(
        _ signature: [UInt8], of message: [UInt8], _ digest: KeyedDigest = .sha256
    ) throws(VerifyRefusal) {
        for key in keys where checks.areEqual(checks.hmac(digest, key: key, message: message), signature) {
            return
        }
        throw VerifyRefusal(.wrong, "The signature does not match the body and any known key.")
    }

    /// Compares digests, so that the time does not tell the length either.
    private func expect(_ sent: [UInt8], oneOf known: [[UInt8]]) throws(VerifyRefusal) {
        let digest = checks.sha256(sent)
        for value in known where checks.areEqual(checks.sha256(value), digest) { return }
        throw VerifyRefusal(.wrong, "The credentials are wrong.")
    }

    /// Compares a signed time with ours.
    private func check(_ time: [UInt8], _ now: Timestamp) throws(VerifyRefusal) {
        guard (1...13).contains(time.count), time.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(String(decoding: time, as: UTF8.self))
        else {
            throw VerifyRefusal(.malformed, "The signed time is no number of seconds since 1970.")
        }
        // Thirteen digits are milliseconds: as seconds they would be far beyond any date.
        let sent = Timestamp(milliseconds: number >= 100_000_000_000 ? number : number * 1_000)
        let distance = now.since(sent)
        let limit = DurationText.text(spec.tolerance)
        if distance > spec.tolerance {
            throw VerifyRefusal(.old, "The signed time is more than \(limit) ago.")
        }
        if distance < .zero - spec.tolerance {
            throw VerifyRefusal(.future, "The signed time is more than \(limit) ahead.")
        }
    }

    private func wrong(_ name: String) -> VerifyRefusal {
        VerifyRefusal(.wrong, "No signature in \(name) matches the body and any known key.")
    }

    private func unreadable(_ name: String, _ form: String) -> VerifyRefusal {
        VerifyRefusal(.malformed, "The field \(name) is not \"\(form)\".")
    }
}
