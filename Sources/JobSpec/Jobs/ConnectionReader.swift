package import HTTPMessage
internal import JobKit
package import StrictJSON

package enum ConnectionReader {
    /// Reads the connection that `value` is.
    ///
    /// - Parameters:
    ///   - egress: the permitted addresses; ranges of the connection count, too. Nil for a stored connection.
    ///   - openable: the ranges that connections may open. A range that does not lie in one of them is a problem, or,
    ///     for a connection that was accepted once (`egress` nil), left out.
    /// - Returns: the connection, or everything that is wrong with it.
    package static func read(
        _ value: JSONValue, egress: EgressPolicy?, openable: [CIDR]
    ) -> Result<ConnectionSpec, SpecProblems> {
        var reading = SpecReading(limits: .standard, now: Timestamp(milliseconds: 0))
        let spec = connection(value, egress: egress, openable: openable, &reading)
        ReferenceResolver.noteUnknown(&reading)
        if let spec, reading.problems.isEmpty { return .success(spec) }
        return .failure(SpecProblems(reading.problems, isCut: reading.isCut))
    }

    private static let members = [
        "base_url", "auth", "headers", "tls", "proxy", "egress", "idempotency_header",
    ]

    /// A whole connection; nil when it is invalid.
    private static func connection(
        _ value: JSONValue, egress: EgressPolicy?, openable: [CIDR], _ reading: inout SpecReading
    ) -> ConnectionSpec? {
        guard case .object(let object) = value else {
            reading.wrongType(value, "an object", suggestion: #"{"base_url": "https://api.example.com/"}"#)
            return nil
        }
        var scope = SpecScope(egress: egress)
        scope.secrets = .required
        var spec = ConnectionSpec(baseURL: "")
        if let value = object["egress"] {
            spec.egress = reading.inside("egress") {
                openedRanges(value, openable, isChecked: egress != nil, &$0)
            }
            scope.egress = egress?.opening(spec.egress)
        }
        reading.members(of: object, "A connection", known: members) { reading, name, value in
            member(name, value, of: &spec, scope, &reading)
        }
        guard object["base_url"] != nil else {
            reading.missing(
                "base_url", "Say where the calls go.", suggestion: #""base_url": "https://api.example.com/""#)
            return nil
        }
        return spec
    }

    private static func member(
        _ name: String, _ value: JSONValue, of spec: inout ConnectionSpec, _ scope: SpecScope,
        _ reading: inout SpecReading
    ) -> Bool {
        switch name {
        case "base_url": spec.baseURL = baseURL(value, scope, &reading) ?? ""
        case "auth": spec.auth = AuthKinds.read(value, scope, &reading)
        case "headers":
            spec.headers = FieldReader(scope).headers(value, &reading)
            for entry in spec.headers where !reading.isCut && CredentialName.isOne(entry.name) {
                if case .literal(let literal) = entry.value {
                    reading.inside(entry.name) { _ = BindingReader(scope).confidential(literal, &$0) }
                }
            }
        case "tls": spec.tls = RouteReader(scope).tls(value, &reading)
        case "proxy": spec.proxy = RouteReader(scope).proxy(value, &reading)
        case "egress": break
        case "idempotency_header":
            guard let text = reading.string(value) else { break }
            FieldReader.checkName(text, &reading)
            spec.idempotencyHeader = text
        default: return false
        }
        return true
    }

    private static func baseURL(_ value: JSONValue, _ scope: SpecScope, _ reading: inout SpecReading)
        -> String?
    {
        guard let url = URLReader(scope).literalURL(value, &reading) else { return nil }
        if url.utf8.contains(UInt8(ascii: "?")) {
            reading.note(
                .badURL, "A base URL has no query: it would be lost. Give parameters in each request.")
        }
        return url
    }

    private static func openedRanges(
        _ value: JSONValue, _ openable: [CIDR], isChecked: Bool, _ reading: inout SpecReading
    ) -> [CIDR] {
        var ranges: [CIDR] = []
        reading.elements(of: value) { reading, value in
            guard let text = reading.string(value, "a range such as \"10.1.0.0/16\"") else { return }
            guard let range = CIDR(text) else {
                return reading.note(
                    .outOfRange,
                    "\"\(String(quotable: text))\" is no range such as 10.1.0.0/16 or fd00::/8.")
            }
            if openable.contains(where: { $0.contains(range) }) { return ranges.append(range) }
            guard isChecked else { return }
            reading.note(
                .egressBlocked,
                "Connections may not open \(range). "
                    + "If they should, start the server with --egress-connections \(range).")
        }
        return ranges
    }
}

extension CIDR {
    /// Whether all of another range lies in this one.
    fileprivate func contains(_ other: CIDR) -> Bool {
        other.prefixLength >= prefixLength && contains(other.base)
    }
}

extension EgressPolicy {
    /// The policy with more ranges open.
    fileprivate func opening(_ ranges: [CIDR]) -> EgressPolicy { EgressPolicy(allow: allow + ranges) }
}
