internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// Reads URLs and templates of them.
struct URLReader {
    let scope: SpecScope

    init(_ scope: SpecScope) { self.scope = scope }

    /// A URL without bindings.
    func literalURL(_ value: JSONValue, _ reading: inout SpecReading) -> String? {
        guard let text = reading.string(value, "a URL") else { return nil }
        if text.utf8.contains(UInt8(ascii: "{")) {
            reading.note(
                .badURL, "This looks like a template, and here nothing can fill it in.",
                suggestion: #"{"url": "https://example.com/{id}", "vars": {"id": 7}}"#)
            return nil
        }
        checkURL(text, &reading)
        return text
    }

    /// The `url` of a request: a URL, or a template whose variables are in `vars`.
    func readURL(_ value: JSONValue, of call: inout NetworkSpec, _ reading: inout SpecReading) {
        if case .object = value {
            return reading.wrongType(
                value, "a URL",
                suggestion: "\"url\": \"https://example.com/orders/{id}\", \"vars\": {\"id\": "
                    + "{\"$get\": \"order\", \"at\": \"/body/id\"}}",
                remedy: "It is a text, and values from elsewhere are put into its template by \"vars\".")
        }
        guard let text = reading.string(value, "a URL") else { return }
        call.url = text
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else {
            return checkURL(text, &reading)
        }
        guard text.utf8.count <= reading.limits.urlBytesMax else {
            return reading.note(
                .tooLarge,
                "The template has \(text.utf8.count) bytes; allowed are \(reading.limits.urlBytesMax).")
        }
        do {
            let template = try URITemplate(text, allowsReserved: false)
            if reading.isOfHook { checkHost(text, call, &reading) }
            checkVariables(of: template, call, &reading)
        } catch {
            reading.note(.badTemplate, error.detail, suggestion: error.suggestion)
        }
    }

    private func checkVariables(of template: URITemplate, _ call: NetworkSpec, _ reading: inout SpecReading) {
        var values: [(String, URITemplate.Value)] = []
        var areKnown = true
        let given = NameIndex(call.vars, by: { $0.name })
        let ports = Self.namesAfterColon(in: call.url)
        for name in template.variableNames where !reading.isCut {
            // A substitute replaces bound values, so that the rest of the URL is checked now: a number for a port,
            // otherwise a word, which may be a host.
            let substitute = URITemplate.Value.string(ports.contains(ByteKey(name)) ? "1" : "x")
            values.append((name, substitute))
            guard let place = given.place(of: name, in: call.vars, by: { $0.name }) else {
                reading.note(
                    .missingMember,
                    "The template uses {\(String(quotable: name))}, and \"vars\" does not have it.",
                    suggestion: reading.nearest(to: name, in: call.vars.lazy.map(\.name)))
                areKnown = false
                continue
            }
            if case .literal(let literal) = call.vars[place].value {
                guard let known = URITemplate.Value(literal) else {
                    reading.note(
                        at: variablePointer(name, reading), .wrongType,
                        "A variable of a template is a text, a number, null, or a list or an object of those."
                    )
                    areKnown = false
                    continue
                }
                values[values.count - 1].1 = known
            }
        }
        do {
            let url = try template.expand(values, path: .isKept)
            if areKnown { checkURL(url, &reading) }
        } catch {
            reading.note(.badTemplate, error.detail, suggestion: error.suggestion)
        }
    }

    /// The job of a hook calls where its author says: senders choose neither scheme nor host, directly or through what
    /// an operation makes of a delivery.
    private func checkHost(_ text: String, _ call: NetworkSpec, _ reading: inout SpecReading) {
        let origin = String(decoding: originBytes(of: text), as: UTF8.self)
        guard let head = try? URITemplate(origin, allowsReserved: false) else { return }
        let given = NameIndex(call.vars, by: { $0.name })
        for name in head.variableNames {
            guard let place = given.place(of: name, in: call.vars, by: { $0.name }) else { continue }
            if case .literal = call.vars[place].value { continue }
            reading.note(
                .unsafeURL,
                "In the job of a hook, {\(String(quotable: name))} cannot be a part of scheme or host: its senders would "
                    + "choose where the call goes. Write them as they are, or choose between connections.")
        }
    }

    /// The beginning of a template, as far as its values can be a part of scheme, host or port.
    private func originBytes(of text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var isWithin = false
        // What is in braces is no part of the structure.
        let plain = bytes.map { byte -> UInt8 in
            if byte == UInt8(ascii: "{") { isWithin = true }
            defer { if byte == UInt8(ascii: "}") { isWithin = false } }
            return isWithin ? 0 : byte
        }
        func end(from start: Int) -> Int {
            plain[start...].firstIndex { "/?#".utf8.contains($0) } ?? plain.count
        }
        let start: Int
        if plain.starts(with: "//".utf8) {
            start = 2
        } else if let colon = plain[..<end(from: 0)].firstIndex(of: UInt8(ascii: ":")) {
            guard plain[colon...].starts(with: "://".utf8) else { return bytes }
            start = colon + 3
        } else {
            return bytes.first == UInt8(ascii: "{") && !scope.hasBase ? bytes : []
        }
        // "{/x}" and "{?x}" begin the path or the query; without a value, the host goes on behind them.
        var origin: [UInt8] = []
        var isSkipped = false
        for place in 0..<end(from: start) {
            if bytes[place] == UInt8(ascii: "{") {
                isSkipped = bytes[place...].starts(with: "{/".utf8) || bytes[place...].starts(with: "{?".utf8)
            }
            if !isSkipped { origin.append(bytes[place]) }
            if bytes[place] == UInt8(ascii: "}") { isSkipped = false }
        }
        return origin
    }

    /// The variables that follow a colon, as a port does.
    private static func namesAfterColon(in url: String) -> Set<ByteKey> {
        var names: Set<ByteKey> = []
        var before: UInt8 = 0
        for (index, byte) in zip(url.utf8.indices, url.utf8) {
            if before == UInt8(ascii: ":"), byte == UInt8(ascii: "{") {
                let name = url.utf8[index...].dropFirst().prefix { !",:*}".utf8.contains($0) }
                names.insert(ByteKey(String(Substring(name))))
            }
            before = byte
        }
        return names
    }

    /// The address of a variable, seen from `url`.
    private func variablePointer(_ name: String, _ reading: borrowing SpecReading) -> JSONPointer {
        JSONPointer(tokens: reading.pointer.tokens.dropLast() + ["vars", name])
    }

    private func checkURL(_ text: String, _ reading: inout SpecReading) {
        do {
            let url =
                try scope.hasBase
                ? URLParts(URLReference.complete(text, from: "https://connection.invalid/")) : URLParts(text)
            guard let egress = scope.egress, !scope.hasBase,
                case .blocked(let reason) = egress.literalVerdict(forHost: url.host)
            else {
                return
            }
            reading.note(.egressBlocked, EgressAdvice.detail(host: url.host, address: url.address, reason))
        } catch {
            let code: SpecProblemCode = error.code == .userInformation ? .unsafeURL : .badURL
            let line = Self.line(text)
            reading.note(
                code, line?.detail ?? "\(error.detail) \(error.suggestion)",
                suggestion: line?.suggestion ?? Self.urlLike(text))
        }
    }

    /// The answer to a line that has a URL in it: one of curl, or of a request with its method.
    private static func line(_ text: String) -> FamiliarWords.Answer? {
        let words = text.utf8.prefix(lineBytesMax).split(separator: UInt8(ascii: " "), maxSplits: 20)
            .map { String(Substring($0)) }
        guard let first = words.first, words.count > 1,
            let url = words.first(where: { (try? URLParts($0)) != nil })
        else { return nil }
        if first == "curl" {
            return (
                "A curl line is submitted as it is, with Content-Type: text/x-shellscript; \"jobserver curl\" translates "
                    + "it.", url
            )
        }
        guard words.count == 2, first.utf8.allSatisfy({ $0 &- 0x41 < 26 }) else { return nil }
        return ("The method is a member of its own.", "{\"method\": \"\(first)\", \"url\": \"\(url)\"}")
    }

    private static let lineBytesMax = 1_000

    /// `https://example.com/x` for `example.com/x`.
    private static func urlLike(_ text: String) -> String? {
        let guess = "https://" + text
        guard !text.contains("://"), text.contains("."), (try? URLParts(guess)) != nil else { return nil }
        return guess
    }
}

/// The remedy for a forbidden address.
enum EgressAdvice {
    /// The sentence, with the option that would open the address.
    static func detail(host: String, address: IPAddress?, _ reason: EgressPolicy.Reason) -> String {
        let shown = String(quotable: host)
        if reason == .ambiguous {
            return "\(shown) is \(reason.text), so it is not called. Write it plainly."
        }
        let range =
            address.map { "\($0)/\($0.isIPv4 ? 32 : 128)" }
            ?? (reason == .loopback ? "127.0.0.0/8" : "<address>/32")
        return "\(shown) is \(reason.text), which jobs may not call. "
            + "If they should, start the server with --egress-allow \(range)."
    }
}

extension URITemplate.Value {
    /// The value that a JSON value has in a template: texts, numbers and truth values as text, arrays as lists, objects
    /// as pairs, without those that are null. Nil for anything nested deeper.
    init?(_ value: JSONValue) {
        switch value {
        case .null: self = .undefined
        case .array(let elements):
            let defined = elements.filter { !$0.isNull }
            let texts = defined.compactMap(\.plainText)
            guard texts.count == defined.count else { return nil }
            self = .list(texts)
        case .object(let object):
            let defined = object.members.filter { !$0.value.isNull }
            let pairs = defined.compactMap { member in
                member.value.plainText.map { (name: member.name, value: $0) }
            }
            guard pairs.count == defined.count else { return nil }
            self = .pairs(pairs)
        default:
            guard let text = value.plainText else { return nil }
            self = .string(text)
        }
    }
}

extension JSONValue {
    /// A string unchanged, numbers and booleans as in JSON; nil for everything else.
    var plainText: String? {
        switch self {
        case .string(let text): text
        case .number(let number): number.text
        case .bool(let flag): flag ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}
