import HTTPMessage

/// Checks what client and server say about media types.
enum Negotiation {
    /// Refuses a request whose `Accept` fields exclude JSON.
    static func check(_ fields: HTTPFields) throws(Problem) {
        // As nearly all clients say it.
        guard let first = fields.first("accept"), !first.elementsEqual(anything), !isPlainJSON(first) else {
            return
        }
        let ranges = fields.all("accept").flatMap { $0.split(separator: ",") }
        guard !ranges.isEmpty else { return }
        guard !ranges.contains(where: { accepts(mediaRange: $0) }) else { return }
        throw Problem(.notAcceptable, "This answer is application/json, which the Accept field excludes.")
    }

    private static func accepts(mediaRange: Substring) -> Bool {
        let parts = mediaRange.split(separator: ";")
        guard let first = parts.first else { return false }
        let type = first.filter { $0 != " " && $0 != "\t" }.lowercased()
        guard ["*/*", "application/*", "application/json", "application/problem+json"].contains(type) else {
            return false
        }
        let weight = parts.dropFirst().map { $0.filter { $0 != " " } }.first {
            $0.lowercased().hasPrefix("q=")
        }
        return weight.flatMap { Double($0.dropFirst(2)) } != 0
    }

    /// Whether the `Accept` fields want `type` more than JSON. What accepts both alike gets JSON.
    /// - Throws: `.notAcceptable` when they exclude both.
    static func prefers(_ type: String, in fields: HTTPFields) throws(Problem) -> Bool {
        let accept = fields.all("accept").joined(separator: ", ")
        guard !accept.isEmpty, let type = MediaType(type), let json = MediaType("application/json") else {
            return false
        }
        let quality = type.quality(inAccept: accept)
        if quality > json.quality(inAccept: accept) { return true }
        if quality == 0 { try check(fields) }
        return false
    }

    /// Refuses a body that says it is something other than JSON.
    static func checkJSONBody(_ head: HTTPRequestHead) throws(Problem) {
        guard let type = head.fields.first("content-type") else { return }
        if isJSON(type) { return }
        let text = String(decoding: type.prefix(100), as: UTF8.self)
        throw Problem(
            .unsupportedMediaType,
            "Content-Type is \(text), but a job spec is JSON. With curl: curl --json '{…}' URL, or add "
                + "-H 'Content-Type: application/json' to -d. A curl command line is text/x-shellscript.")
    }

    /// Whether a `Content-Type` is `application/json`, as nearly all are.
    static func isPlainJSON(_ value: ArraySlice<UInt8>) -> Bool { value.elementsEqual(exactJSON) }

    private static let anything = Array("*/*".utf8)
    private static let exactJSON = Array("application/json".utf8)

    /// `application/json` or `application/…+json`, with or without parameters, in any case.
    private static func isJSON(_ value: ArraySlice<UInt8>) -> Bool {
        if isPlainJSON(value) { return true }
        let type = value.prefix { $0 != 0x3B && $0 != 0x20 }.map {
            (0x41...0x5A).contains($0) ? $0 | 0x20 : $0
        }
        if type == exactJSON { return true }
        return type.starts(with: Array("application/".utf8))
            && type.suffix(5).elementsEqual(Array("+json".utf8))
    }
}
