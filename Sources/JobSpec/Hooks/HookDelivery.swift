internal import HTTPMessage
package import JobKit
package import StrictJSON

/// A request from outside as a document: `/method`, `/query`, `/headers` without credentials, `/body`.
package struct HookDelivery: Sendable {
    package let document: JSONValue
    /// The members but the body, which is kept apart.
    package let head: JSONValue

    package init(_ request: ArrivedRequest, verify: VerifySpec) {
        let hidden = verify.confidentialFields + ["authorization", "proxy-authorization", "cookie"]
        let fields = request.fields
        var headers: [JSONObject.Member] = []
        headers.reserveCapacity(fields.count)
        for place in fields.indices {
            let name = String(decoding: fields.nameBytes(at: place), as: UTF8.self).asciiLowercased
            if hidden.contains(where: name.hasSameBytes) { continue }
            if headers.contains(where: { name.hasSameBytes(as: $0.name) }) { continue }
            let value =
                fields.count(of: name) == 1
                ? String(decoding: fields.valueBytes(at: place), as: UTF8.self) : fields.combined(name) ?? ""
            headers.append(.init(name: name, value: .string(value)))
        }
        let query = request.target.firstIndex(of: UInt8(ascii: "?")).map { request.target[($0 + 1)...] } ?? []
        self.init(
            head: .object(
                JSONObject(uniqueMembers: [
                    .init(name: "method", value: .string(request.method)),
                    .init(name: "query", value: Self.form(query)),
                    .init(name: "headers", value: .object(JSONObject(uniqueMembers: headers))),
                ])),
            body: request.body)
    }

    /// A delivery that was kept.
    package init(head: JSONValue, body: [UInt8]) {
        self.head = head
        guard case .object(var object) = head else { document = .null; return }
        let type = object["headers"]?.object?["content-type"]?.string.flatMap { MediaType($0) }
        object["body"] = Self.content(body, type)
        document = .object(object)
    }

    /// JSON, a form as an object of its fields, a text, or base 64 of other content.
    private static func content(_ body: [UInt8], _ type: MediaType?) -> JSONValue {
        if body.isEmpty { return .null }
        let isForm = type?.essence.hasSameBytes(as: "application/x-www-form-urlencoded") ?? false
        if isForm { return form(body[...]) }
        if type?.isJSON ?? true, let value = try? JSONParser.parse(body) { return value }
        if let text = String(validating: body, as: UTF8.self) { return .string(text) }
        return .string(String(decoding: Base64.encode(body), as: UTF8.self))
    }

    /// The fields of a form by name; of several with one name, a list.
    private static func form(_ text: ArraySlice<UInt8>) -> JSONValue {
        var names: [String] = []
        var values: [ByteKey: [JSONValue]] = [:]
        for pair in text.split(separator: UInt8(ascii: "&")) {
            let halves = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let parts = halves.map { half in
                let text = String(decoding: half, as: UTF8.self)
                return PercentCoding.decode(text, plusIsSpace: true) ?? text
            }
            let key = ByteKey(parts[0])
            if values[key] == nil { names.append(parts[0]) }
            values[key, default: []].append(.string(parts.count > 1 ? parts[1] : ""))
        }
        return .object(
            JSONObject(
                uniqueMembers: names.map { name in
                    let all = values[ByteKey(name)] ?? []
                    return .init(name: name, value: all.count == 1 ? all[0] : .array(all))
                }))
    }

    /// The value at a place as text; nil when there is none, or none that is text.
    package func text(at place: JSONPointer) -> String? {
        guard let value = place.resolve(in: document) else { return nil }
        return try? Binding.text(of: value, "")
    }

    /// The value of a binding that takes values of the delivery only.
    package func value(of binding: Binding) throws(AOperationError) -> JSONValue {
        try binding.resolve(lookup: lookup)
    }

    package func text(of binding: Binding) throws(AOperationError) -> String {
        try Binding.text(of: value(of: binding), "The job's key")
    }

    /// Whether the delivery satisfies a predicate.
    package func satisfies(_ predicate: JSONPredicate) throws(AOperationError) -> Bool {
        try predicate.evaluate(document: document, lookup: lookup)
    }

    private var lookup: Binding.Lookup {
        Binding.Lookup(StepMeter(StepMeter.requestMax)) { [document] reference throws(AOperationError) in
            guard let value = reference.at.resolve(in: document) ?? reference.fallback else {
                throw AOperationError(
                    .referenceMissing,
                    detail: "The delivery has no \(String(quotable: reference.at.description)).")
            }
            return value
        }
    }
}

extension HookDelivery {
    /// The id that the sender gave the delivery; nil when there is none of a usable length.
    package func id(by dedupe: HookSpec.Dedupe) -> String? {
        guard let place = dedupe.id else { return nil }
        // Svix has a name of its own for the field.
        let isStandard = place.tokens.last?.hasSameBytes(as: "webhook-id") ?? false
        let text = text(at: place) ?? (isStandard ? text(at: Self.svixID) : nil)
        return text.flatMap { (1...255).contains($0.utf8.count) ? $0 : nil }
    }

    private static let svixID = JSONPointer(tokens: ["headers", "svix-id"])

    /// The answer to a request by which senders of a scheme try the address; nil for any other request.
    package func handshake(for scheme: VerifySpec.Scheme) -> [UInt8]? {
        let object = document.object
        switch scheme {
        case .github:
            guard object?["headers"]?.object?["x-github-event"] == .string("ping") else { return nil }
            return Array("{\"ok\":true}\n".utf8)
        case .slack:
            guard let body = object?["body"]?.object, body["type"] == .string("url_verification"),
                let challenge = body["challenge"]?.string
            else { return nil }
            return JSONValue.object(JSONObject([("challenge", .string(challenge))])).encoded()
        default: return nil
        }
    }
}
