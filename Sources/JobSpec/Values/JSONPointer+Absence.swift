internal import JobKit
internal import StrictJSON

extension JSONPointer {
    /// The number of names that are listed.
    private static let namesMax = 8

    /// The reason why a position does not exist in a document, as a part of a sentence: the value found instead.
    func absence(in document: JSONValue) -> String? {
        if case .object(let object) = document, let reason = absence(fromResult: object) { return reason }
        var value = document
        var place = JSONPointer(tokens: [])
        for token in tokens {
            let deeper = JSONPointer(tokens: place.tokens + [token])
            guard let found = deeper.resolve(in: document) else { break }
            (value, place) = (found, deeper)
        }
        let name = place.tokens.isEmpty ? "it" : String(quotable: place.description)
        switch value {
        case .object(let object):
            guard !object.isEmpty else { return "\(name) is an empty object" }
            let names = object.members.prefix(Self.namesMax).map { String(quotable: $0.name) }
            let more = object.count - names.count
            return "\(name) has \(names.joined(separator: ", "))" + (more > 0 ? " and \(more) more" : "")
        case .array(let elements):
            return "\(name) is an array of \(elements.count)"
        default: return "\(name) is \(value.kindName)"
        }
    }

    /// The reason for a position that no result ever has.
    private func absence(fromResult object: JSONObject) -> String? {
        guard object["bytes"] != nil else { return nil }
        let isCookie = ["cookie", "cookies"].contains { tokens.first?.hasSameBytes(as: $0) ?? false }
        if isCookie || tokens.count > 1 && tokens[0] == "headers" && tokens[1].lowercased() == "set-cookie" {
            return object["cookies"] == nil
                ? "cookies are kept only when the request says \"cookies\": true, and then are under /cookies"
                : isCookie ? nil : "cookies are under /cookies"
        }
        guard isInBody, tokens.count > 1 else { return nil }
        switch object["body"] {
        case .null?: return "there is no content"
        case .string(let text)?:
            let type = object["headers"].flatMap { JSONPointer(tokens: ["content-type"]).resolve(in: $0) }?
                .string
            guard let type else { return "the content has no Content-Type that says that it is JSON" }
            guard OperationResult(status: nil, headers: [], contentType: type, body: []).isJSON else {
                return "the content is \(String(quotable: type)), not JSON"
            }
            do throws(JSONParseError) { _ = try JSONParser.parse(Array(text.utf8)) } catch {
                let why = error.description
                return "the content is not JSON: \(why.hasSuffix(".") ? String(why.dropLast()) : why)"
            }
            return nil
        default: return nil
        }
    }
}
