internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// Reads methods, redirects and the version of HTTP.
enum ProtocolReader {
    private static let usualMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    private static let methodBytesMax = 32

    /// A method: any token (RFC 9110 §9.1) except CONNECT and TRACE. The usual ones may be in lower case.
    static func method(_ value: JSONValue, _ reading: inout SpecReading) -> String? {
        guard let text = reading.string(value, "a method such as \"GET\"") else { return nil }
        let isShort = text.utf8.count <= Self.methodBytesMax
        let isToken = isShort && FieldText.isName(text)
        let upper = isShort ? text.uppercased() : ""
        guard isToken, upper != "CONNECT", upper != "TRACE" else {
            let reason =
                switch upper {
                case "CONNECT": " CONNECT asks for a tunnel, not for an answer."
                case "TRACE": " TRACE repeats the request with its credentials, so it is not sent."
                default: ""
                }
            reading.note(
                .badMethod,
                "\"\(String(quotable: text))\" is no method that can be used.\(reason) "
                    + "Usual are \(Self.usualMethods.joined(separator: ", ")).",
                suggestion: reading.nearest(to: upper, in: Self.usualMethods))
            return nil
        }
        return Self.usualMethods.contains(upper) ? upper : text
    }

    /// A number of redirects, or an object with settings.
    static func redirects(_ value: JSONValue, _ reading: inout SpecReading) -> RedirectSpec {
        var redirects = RedirectSpec()
        guard case .object(let object) = value else {
            redirects.follow = reading.int(value, in: 0...20)
            return redirects
        }
        let known = ["follow", "same_host_only", "keep_auth"]
        reading.members(of: object, "redirects", known: known) { reading, name, value in
            switch name {
            case "follow": redirects.follow = reading.int(value, in: 0...20)
            case "same_host_only": redirects.sameHostOnly = reading.bool(value) ?? false
            case "keep_auth": redirects.keepAuth = reading.bool(value) ?? false
            default: return false
            }
            return true
        }
        if redirects.sameHostOnly && redirects.keepAuth {
            reading.note(
                member: "keep_auth", .conflict,
                "With \"same_host_only\" no other host is asked, so \"keep_auth\" has no use. Leave one out.")
        }
        return redirects
    }

    /// `{"version", "compression"}`
    static func httpProtocol(_ value: JSONValue, _ reading: inout SpecReading) -> ProtocolSpec {
        var http = ProtocolSpec()
        reading.members(of: value, "http", known: ["version", "compression"]) { reading, name, value in
            switch name {
            case "version": http.version = reading.word(value) ?? .auto
            case "compression": http.compression = reading.bool(value) ?? true
            default: return false
            }
            return true
        }
        return http
    }

    private static let conditionalFields = [
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
    ]

    /// Reports settings that contradict `conditional`.
    static func checkConditional(_ call: NetworkSpec, _ reading: inout SpecReading) {
        if call.method != "GET" && call.method != "HEAD" {
            reading.note(
                member: "conditional", .conflict,
                "Only GET and HEAD can ask whether anything changed, not \(String(quotable: call.method))."
            )
        }
        for header in call.headers
        where !reading.isCut && Self.conditionalFields.contains(header.name.lowercased()) {
            reading.note(
                at: reading.pointer.appending("headers").appending(header.name), .conflict,
                "With \"conditional\" the server sets the conditions of the request. Leave one out.")
        }
    }
}
