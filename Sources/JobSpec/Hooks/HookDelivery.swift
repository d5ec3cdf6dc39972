internal import HTTPMessage
package import JobKit
package import StrictJSON
internal import Synchronization

// DESIGN
// Most hooks take a few values of a delivery. So what came is not made a document: its head is written as JSON once, to
// be kept, and a value is taken from the field or from the body that it names. Only a predicate, and a place above
// these, need the whole document.

/// A request from outside as a document: `/method`, `/query`, `/headers` without credentials, `/body`.
package struct HookDelivery: Sendable {
    private enum Head: Sendable {
        /// A request, and the names of the fields that are no part of the document.
        case arrived(ArrivedRequest, hidden: [String])
        case kept(JSONObject)
    }

    private let source: Head
    private let body: JSONValue
    private let whole = Whole()

    package init(_ request: ArrivedRequest, verify: VerifySpec) {
        source = .arrived(
            request, hidden: verify.confidentialFields + ["authorization", "proxy-authorization", "cookie"])
        body = Self.content(request.body, request.fields.combined("content-type"))
    }

    /// A delivery that was kept.
    package init(head: JSONValue, body: [UInt8]) {
        let head = head.object ?? JSONObject()
        source = .kept(head)
        self.body = Self.content(body, head["headers"]?.object?["content-type"]?.string)
    }

    /// Method, query and fields as JSON: the members but the body, which is kept apart.
    package var head: [UInt8] {
        var json = JSONWriter(capacity: 1_024)
        switch source {
        case .kept(let head): json.value(head)
        case .arrived(let request, let hidden):
            json.beginObject()
            json.member("method", request.method)
            json.member("query", Self.query(of: request))
            json.name("headers")
            json.beginObject()
            request.fields.forEachName { name, value in
                if !hidden.contains(where: name.hasSameBytes) { json.member(name, value) }
            }
            json.endObject()
            json.endObject()
        }
        return json.bytes
    }

    /// Made when it is first needed, and once: many places may need it.
    package var document: JSONValue {
        whole.made.withLock { made in
            if let made { return made }
            var object = headObject
            object["body"] = body
            made = .object(object)
            return .object(object)
        }
    }

    private final class Whole: Sendable {
        let made = Mutex<JSONValue?>(nil)
    }

    private var headObject: JSONObject {
        switch source {
        case .kept(let head): return head
        case .arrived(let request, let hidden):
            var headers: [JSONObject.Member] = []
            request.fields.forEachName { name, value in
                if !hidden.contains(where: name.hasSameBytes) {
                    headers.append(.init(name: name, value: .string(value)))
                }
            }
            return JSONObject(uniqueMembers: [
                .init(name: "method", value: .string(request.method)),
                .init(name: "query", value: Self.query(of: request)),
                .init(name: "headers", value: .object(JSONObject(uniqueMembers: headers))),
            ])
        }
    }

    /// The value at a place of the document.
    package func value(at place: JSONPointer) -> JSONValue? {
        guard let first = place.tokens.first else { return document }
        if first.hasSameBytes(as: "body") {
            return JSONPointer(tokens: Array(place.tokens.dropFirst())).resolve(in: body)
        }
        guard case .arrived(let request, let hidden) = source, place.tokens.count == 2,
            first.hasSameBytes(as: "headers")
        else { return place.resolve(in: document) }
        let name = place.tokens[1]
        // The names of the document are in lower case.
        if name.utf8.contains(where: { $0 &- 0x41 < 26 }) || hidden.contains(where: name.hasSameBytes) {
            return nil
        }
        return request.fields.combined(name).map { .string($0) }
    }

    private static func query(of request: ArrivedRequest) -> JSONValue {
        form(request.target.firstIndex(of: UInt8(ascii: "?")).map { request.target[($0 + 1)...] } ?? [])
    }

    /// JSON, a form as an object of its fields, a text, or base 64 of other content.
    private static func content(_ body: [UInt8], _ type: String?) -> JSONValue {
        if body.isEmpty { return .null }
        // The usual type is not worth a look at its parts.
        let isPlain = type?.hasSameBytes(as: "application/json") ?? true
        let type = isPlain ? nil : type.flatMap { MediaType($0) }
        if type?.essence.hasSameBytes(as: "application/x-www-form-urlencoded") ?? false {
            return form(body[...])
        }
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
        guard let value = value(at: place) else { return nil }
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
        Binding.Lookup(StepMeter(StepMeter.requestMax)) { reference throws(AOperationError) in
            guard let value = value(at: reference.at) ?? reference.fallback else {
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

    private static let githubEvent = JSONPointer(tokens: ["headers", "x-github-event"])
    private static let svixID = JSONPointer(tokens: ["headers", "svix-id"])

    /// The answer to a request by which senders of a scheme try the address; nil for any other request.
    package func handshake(for scheme: VerifySpec.Scheme) -> [UInt8]? {
        switch scheme {
        case .github:
            guard value(at: Self.githubEvent) == .string("ping") else { return nil }
            return Array("{\"ok\":true}\n".utf8)
        case .slack:
            guard let body = body.object, body["type"] == .string("url_verification"),
                let challenge = body["challenge"]?.string
            else { return nil }
            return JSONValue.object(JSONObject([("challenge", .string(challenge))])).encoded()
        default: return nil
        }
    }
}
