internal import HTTPMessage
internal import JobKit
internal import StrictJSON

extension NetworkSpec {
    /// The request with all bindings resolved except the credentials; `CallDispatch` adds those.
    ///
    /// Values in the URL are percent-encoded by the template, and values in fields are refused when they contain line
    /// breaks, so that no answer of another server can add anything to the request.
    /// - Parameters:
    ///   - seed: the same for every run of the same job.
    ///   - path: see `OperationHistory.callPath`; with `seed` it determines the automatic idempotency key.
    ///   - connection: the named connection.
    /// - Throws: `reference.*`, `template.invalid`, `http.field`, before anything is sent.
    func makeCall(
        lookup: Binding.Lookup, seed: String, path: [String], connection: ConnectionSpec? = nil
    ) throws(AOperationError) -> HTTPCall {
        var call = HTTPCall(method: method, url: try makeURL(lookup, from: connection))
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
            if header.value.namesSecret { call.confidentialFields.insert(header.name.lowercased()) }
        }
        if let connection { try addFields(of: connection, to: &call, lookup) }
        if let content = try content(lookup, seed, path) {
            call.body = content.bytes
            call.hasConfidentialContent = body?.namesSecret ?? false
            call.describeContent(as: content.type, coding: content.coding)
        }
        if !call.has("user-agent") { call.fields.append(("User-Agent", "jobserver/1")) }
        let keyField = connection?.idempotencyHeader ?? "Idempotency-Key"
        switch idempotencyKey {
        case .auto:
            try Self.add(keyField, "\"\(([seed] + path).joined(separator: "/"))\"", to: &call)
        case .fixed(let key): try Self.add(keyField, key, to: &call)
        case nil: break
        }
        return call
    }

    /// The fields of a connection, as long as the call stays with it.
    private func addFields(
        of connection: ConnectionSpec, to call: inout HTTPCall, _ lookup: Binding.Lookup
    ) throws(AOperationError) {
        guard !connection.headers.isEmpty, connection.covers(call.url, of: self) else { return }
        for header in connection.headers where !call.has(header.name.lowercased()) {
            let text = try header.value.resolveText("The field \(header.name)", lookup: lookup)
            try Self.add(header.name, text, to: &call)
            call.confidentialFields.insert(header.name.lowercased())
        }
    }

    private func content(
        _ lookup: Binding.Lookup, _ seed: String, _ path: [String]
    ) throws(AOperationError) -> SentContent? {
        switch body {
        case nil: return nil
        case .json(let binding):
            let bytes = try binding.resolve(lookup: lookup).encoded()
            try lookup.meter.spend(bytes.count, on: .making)
            return SentContent(type: "application/json", bytes: bytes)
        case .text(let binding):
            return SentContent(
                type: "text/plain; charset=utf-8",
                bytes: Array(try binding.resolveText("text", lookup: lookup).utf8))
        case .base64(let bytes): return SentContent(type: "application/octet-stream", bytes: bytes)
        case .artifact(let reference):
            var content = try reference.resolve(lookup: lookup)
            content.type = content.type ?? "application/octet-stream"
            return content
        case .multipart(let form):
            let content = try form.content(lookup: lookup, seed: seed, path: path)
            guard case .bytes(let bytes)? = content.pieces.first else { return nil }
            return SentContent(type: content.contentType, bytes: bytes)
        case .form(let entries):
            var pairs: [String] = []
            var budget = ValueBudget("The form", bytesMax: RunLimits.contentBytesMax)
            for entry in entries {
                let name = PercentCoding.encode(entry.name, for: .form)
                for text in try entry.resolveTexts("The form field", lookup: lookup) {
                    try lookup.meter.spend(8 + 2 * text.utf8.count, on: .making)
                    try budget.take(name.utf8.count + text.utf8.count + 2)
                    pairs.append("\(name)=\(PercentCoding.encode(text, for: .form))")
                }
            }
            return SentContent(
                type: "application/x-www-form-urlencoded", bytes: Array(pairs.joined(separator: "&").utf8))
        }
    }

    /// Adds a field.
    /// - Throws: `http.field` when the value is not permitted in a field.
    static func add(_ name: String, _ value: String, to call: inout HTTPCall) throws(AOperationError) {
        let isSafe = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        guard isSafe else {
            throw AOperationError(
                .httpField,
                detail: "The value for the field \(name) contains a line break or another control character.")
        }
        guard value.utf8.count <= RunLimits.fieldBytesMax else {
            throw AOperationError(
                .httpField,
                detail:
                    "The value for the field \(name) has \(value.utf8.count) bytes; allowed are "
                    + "\(RunLimits.fieldBytesMax). Send it as content.")
        }
        call.fields.append((name, value))
    }
}

extension NetworkSpec.Body {
    /// Whether a secret is a part of it.
    var namesSecret: Bool {
        switch self {
        case .json(let binding), .text(let binding): binding.namesSecret
        case .form(let entries): entries.contains { $0.value.namesSecret }
        case .multipart(let form):
            form.parts.contains { part in
                if part.filename?.namesSecret ?? false { return true }
                switch part.content {
                case .text(let binding), .json(let binding): return binding.namesSecret
                case .base64, .artifact: return false
                }
            }
        case .base64, .artifact: false
        }
    }
}

extension HTTPCall {
    fileprivate func has(_ name: String) -> Bool { fields.contains { $0.name.lowercased() == name } }

    /// Sets the fields about the content. A type from the spec is kept, with the boundary of the content's parts; so is
    /// a coding.
    mutating func describeContent(as type: String?, coding: String?) {
        if let coding, !has("content-encoding") { fields.append(("Content-Encoding", coding)) }
        guard let type else { return }
        guard let index = fields.firstIndex(where: { $0.name.lowercased() == "content-type" }) else {
            return fields.append(("Content-Type", type))
        }
        guard let boundary = MediaType(type)?.parameter("boundary"),
            let written = MediaType(fields[index].value), written.type == "multipart"
        else { return }
        fields[index].value = written.setting("boundary", to: boundary).description
    }
}
