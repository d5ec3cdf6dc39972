internal import HTTPMessage
internal import StrictJSON

extension NetworkSpec {
    /// The request with everything filled in.
    ///
    /// Values put into the URL are percent-encoded by the template, values put into fields are refused when they
    /// contain line breaks, so that no answer of another server can add anything to the request.
    /// - Parameters:
    ///   - seed: the same for every run of the same job.
    ///   - path: the operation's place; with `seed` it makes the automatic idempotency key.
    /// - Throws: `reference.*`, `template.invalid`, `http.field`, before anything is sent.
    func makeCall(
        lookup: Binding.Lookup, seed: String, path: [String]
    ) throws(AOperationError) -> HTTPCall {
        var call = HTTPCall(method: method, url: try makeURL(lookup))
        call.connectTimeout = connectTimeout
        call.firstByteTimeout = firstByteTimeout
        call.stallTimeout = stallTimeout
        call.attemptTimeout = attemptTimeout
        redirects.apply(to: &call)
        http.apply(to: &call)
        for header in headers {
            try Self.add(
                header.name, try header.value.resolveText("The field \(header.name)", lookup: lookup),
                to: &call)
        }
        try addAuth(to: &call, lookup)
        if let (type, bytes) = try content(lookup, seed, path) {
            call.body = bytes
            if let type, !call.has("content-type") { call.fields.append(("Content-Type", type)) }
        }
        if !call.has("user-agent") { call.fields.append(("User-Agent", "jobserver/1")) }
        switch idempotencyKey {
        case .auto:
            try Self.add("Idempotency-Key", "\"\(([seed] + path).joined(separator: "/"))\"", to: &call)
        case .fixed(let key): try Self.add("Idempotency-Key", key, to: &call)
        case nil: break
        }
        return call
    }

    private func addAuth(to call: inout HTTPCall, _ lookup: Binding.Lookup) throws(AOperationError) {
        switch auth {
        case .none: break
        case .bearer(let token):
            let text = try token.resolveText("auth.token", lookup: lookup)
            try Self.add("Authorization", "Bearer \(text)", to: &call)
        case .basic(let username, let password):
            let name = try username.resolveText("auth.username", lookup: lookup)
            let secret = try password.resolveText("auth.password", lookup: lookup)
            let bytes = Array("\(name):\(secret)".utf8)
            try Self.add(
                "Authorization", "Basic \(String(decoding: Base64.encode(bytes), as: UTF8.self))", to: &call)
        case .header(let name, let value):
            try Self.add(name, try value.resolveText("auth.value", lookup: lookup), to: &call)
        }
    }

    private func content(
        _ lookup: Binding.Lookup, _ seed: String, _ path: [String]
    ) throws(AOperationError) -> (String?, [UInt8])? {
        switch body {
        case nil: return nil
        case .json(let binding): return ("application/json", try binding.resolve(lookup: lookup).encoded())
        case .text(let binding):
            return ("text/plain; charset=utf-8", Array(try binding.resolveText("text", lookup: lookup).utf8))
        case .base64(let bytes): return ("application/octet-stream", bytes)
        case .multipart(let form):
            let content = try form.content(lookup: lookup, seed: seed, path: path)
            return (content.contentType, content.bytes)
        case .form(let entries):
            var pairs: [String] = []
            for entry in entries {
                let name = PercentCoding.encode(entry.name, for: .form)
                for text in try entry.resolveTexts("The form field", lookup: lookup) {
                    pairs.append("\(name)=\(PercentCoding.encode(text, for: .form))")
                }
            }
            return ("application/x-www-form-urlencoded", Array(pairs.joined(separator: "&").utf8))
        }
    }

    private static func add(_ name: String, _ value: String, to call: inout HTTPCall) throws(AOperationError)
    {
        let isSafe = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        guard isSafe else {
            throw AOperationError(
                .httpField,
                detail: "The value for the field \(name) contains a line break or another control character.")
        }
        call.fields.append((name, value))
    }
}

extension HTTPCall {
    fileprivate func has(_ name: String) -> Bool { fields.contains { $0.name.lowercased() == name } }
}
