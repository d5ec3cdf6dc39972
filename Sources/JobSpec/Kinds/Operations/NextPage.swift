internal import JobKit
package import StrictJSON

/// The way from one page to the next.
package enum NextPage: Sendable, Hashable {
    /// The field `Link` with `rel=next`.
    case link
    /// A URL in the answer.
    case url(at: JSONPointer)
    /// A cursor in the answer, which becomes a part of the next request.
    case cursor(at: JSONPointer, to: Target)
    /// The number of the page, a parameter of the query.
    case page(parameter: String, from: Int)
    /// The number of items before the page, a parameter of the query.
    case offset(parameter: String, by: Int)

    /// The place of a cursor in a request.
    package enum Target: Sendable, Hashable {
        /// A parameter of the query.
        case query(String)
        /// A place in the JSON content.
        case json(JSONPointer)
    }

    /// The position of the first page, where that is a part of its request.
    var first: JSONValue? {
        switch self {
        case .link, .url, .cursor: nil
        case .page(_, let from): .number(JSONNumber(Int64(from)))
        case .offset: .number(JSONNumber(0))
        }
    }

    /// The parameter of the query that it sets.
    var parameter: String? {
        switch self {
        case .link, .url, .cursor(_, .json): nil
        case .cursor(_, .query(let name)), .page(let name, _), .offset(let name, _): name
        }
    }

    /// The words of the plan.
    var planWords: String {
        switch self {
        case .link: "next by Link"
        case .url(let at): "next by the URL in \(at)"
        case .cursor(let at, .query(let name)): "next by the cursor in \(at), as \(name)"
        case .cursor(let at, .json(let place)): "next by the cursor in \(at), in the content as \(place)"
        case .page(let name, let from): "next by \(name), from \(from)"
        case .offset(let name, let by): "next by \(name), by \(by)"
        }
    }
}

extension NextPage {
    private static let forms =
        #""link", {"at": "/body/next"}, {"cursor": {"at": "/body/cursor"}, "query": "cursor"}, "#
        + #"{"page": "page"} or {"offset": "offset", "by": 100}"#
    /// The largest number of the first page, and of items on a page.
    private static let numberMax = 1_000_000

    static func read(_ value: JSONValue, _ reading: inout SpecReading) -> NextPage? {
        if let text = value.string, text.utf8.first == UInt8(ascii: "/") {
            reading.wrongType(
                value, "\"link\" or an object", suggestion: "{\"at\": \"\(String(quotable: text))\"}")
            return nil
        }
        if case .string = value { return reading.word(value, of: ["link"]).map { _ in .link } }
        guard case .object(let object) = value else {
            reading.wrongType(value, forms)
            return nil
        }
        guard let word = ["at", "cursor", "page", "offset"].first(where: { object[$0] != nil }) else {
            reading.note(.missingMember, "Say how a page leads to the next one: \(forms).")
            return nil
        }
        switch word {
        case "at":
            var at: JSONPointer?
            reading.members(of: object, "A next URL", known: ["at"]) { reading, name, value in
                guard name == "at" else { return false }
                at = PointerReader.place(value, &reading)
                return true
            }
            return at.map(NextPage.url)
        case "cursor": return cursor(object, &reading)
        case "page":
            return numbered(object, "page", "from", 0, &reading).map { .page(parameter: $0, from: $1 ?? 1) }
        default:
            if object["by"] == nil {
                reading.missing("by", "Say how many items a page has.", suggestion: #""by": 100"#)
            }
            return numbered(object, "offset", "by", 1, &reading).flatMap { name, by in
                by.map { .offset(parameter: name, by: $0) }
            }
        }
    }

    /// `{"cursor": {"at": …}, "query": "cursor"}` or `"json": "/cursor"`
    private static func cursor(_ object: JSONObject, _ reading: inout SpecReading) -> NextPage? {
        var at: JSONPointer?
        var targets: [Target] = []
        reading.members(of: object, "A cursor", known: ["cursor", "query", "json"]) { reading, name, value in
            switch name {
            case "cursor":
                reading.members(of: value, "The place of a cursor", known: ["at"]) { reading, name, value in
                    guard name == "at" else { return false }
                    at = PointerReader.place(value, &reading)
                    return true
                }
                if case .object(let place) = value, place["at"] == nil {
                    reading.missing("at", "Say where the cursor is.", suggestion: #""at": "/body/cursor""#)
                }
            case "query": reading.string(value, bytes: 1...255).map { targets.append(.query($0)) }
            case "json": PointerReader.pointer(value, &reading).map { targets.append(.json($0)) }
            default: return false
            }
            return true
        }
        if object["query"] == nil, object["json"] == nil {
            reading.missing("query", "Say where the cursor goes.", suggestion: #""query": "cursor""#)
        } else if object["query"] != nil, object["json"] != nil {
            reading.note(member: "json", .conflict, "Say \"query\" or \"json\", not both. Leave one out.")
        }
        guard let at, let target = targets.first else { return nil }
        return .cursor(at: at, to: target)
    }

    /// The name of a parameter, and a number that may be missing.
    private static func numbered(
        _ object: JSONObject, _ word: String, _ number: String, _ least: Int, _ reading: inout SpecReading
    ) -> (String, Int?)? {
        var parameter: String?
        var count: Int?
        let subject = "\(SpecReading.withArticle(word)) as a parameter"
        reading.members(of: object, subject, known: [word, number]) { reading, name, value in
            switch name {
            case word: parameter = reading.string(value, bytes: 1...255)
            case number: count = reading.int(value, in: least...numberMax)
            default: return false
            }
            return true
        }
        return parameter.map { ($0, count) }
    }
}
