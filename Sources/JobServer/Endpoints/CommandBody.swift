import HTTPMessage
import StrictJSON

/// The optional JSON object in the body of a command; no body is an empty object.
struct CommandBody {
    private var object: JSONObject
    private var known: [String] = []
    private var items: [Problem.Item] = []

    init(_ request: HTTPRequest) throws(Problem) {
        guard !request.body.isEmpty else {
            try self.init(.object(JSONObject()))
            return
        }
        try self.init(try request.json())
    }

    init(_ value: JSONValue) throws(Problem) {
        guard let object = value.object else {
            throw Problem(.invalidBody, "The body must be a JSON object; it is \(value.kindName).")
        }
        self.object = object
    }

    /// The text of a member; nil when it is absent.
    mutating func text(_ name: String, bytesMax: Int) -> String? {
        known.append(name)
        guard let value = object[name] else { return nil }
        object[name] = nil
        guard let text = value.string, text.utf8.count <= bytesMax else {
            items.append(
                Problem.Item(
                    .pointer("/" + name), code: "body.value",
                    detail: "\(name) must be a string of at most \(bytesMax) bytes"))
            return nil
        }
        return text
    }

    /// A member of any type; nil when it is absent.
    mutating func value(_ name: String) -> JSONValue? {
        known.append(name)
        defer { object[name] = nil }
        return object[name]
    }

    /// Records that the value of a member is invalid; after the first hundred problems, nothing more.
    mutating func refuse(_ name: String, _ detail: String, suggestion: String? = nil) {
        guard items.count < Problem.itemsMax else { return }
        items.append(
            Problem.Item(.pointer("/" + name), code: "body.value", detail: detail, suggestion: suggestion))
    }

    /// Ends the parsing.
    /// - Throws: when a member was invalid or unknown.
    mutating func finish() throws(Problem) {
        let list =
            known.isEmpty
            ? "" : "; there \(known.count == 1 ? "is" : "are"): " + known.joined(separator: ", ")
        for member in object.members.prefix(max(0, Problem.itemsMax - items.count)) {
            items.append(
                Problem.Item(
                    .pointer("/" + member.name), code: "body.unknown_member",
                    detail: "\"\(member.name)\" is not known here\(list)",
                    suggestion: SpellingSuggestion.nearest(to: member.name, in: known)))
        }
        guard let first = items.first else { return }
        throw Problem(.invalidBody, first.detail + ".", items: items)
    }
}
