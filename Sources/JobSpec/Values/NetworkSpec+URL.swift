internal import HTTPMessage
internal import JobKit
internal import StrictJSON

extension NetworkSpec {
    /// The URL of the call: the expanded template, resolved against the connection's base URL, with its query added.
    /// Inserted values are percent-encoded, and cannot change the target. The only source of the URL: the same text is
    /// approved, signed, shown and sent.
    func makeURL(_ lookup: Binding.Lookup, from connection: ConnectionSpec?) throws(AOperationError) -> String
    {
        let url = try makeReference(lookup)
        guard let connection else { return sentForm(of: url, by: nil) }
        do {
            return sentForm(of: try URLReference.complete(url, from: connection.baseURL), by: connection)
        } catch {
            throw AOperationError(
                .templateInvalid,
                detail: "The URL of the request and the connection's base make no URL together. "
                    + "\(error.detail) \(error.suggestion)")
        }
    }

    /// The URL as sent, which depends on the signature.
    func sentForm(of url: String, by connection: ConnectionSpec?) -> String {
        let url = URLReference.normalized(url)
        if hasOwnAuth { return auth.credentials?.sentForm(of: url) ?? url }
        guard let connection, let sent = connection.auth.credentials?.sentForm(of: url), sent != url,
            (try? URLParts(url))?.origin == connection.origin
        else { return url }
        return sent
    }

    private func makeReference(_ lookup: Binding.Lookup) throws(AOperationError) -> String {
        let url = url.utf8.contains(0x7B) ? try expandedTemplate(lookup) : url
        var pairs: [String] = []
        var budget = ValueBudget("The query", bytesMax: RunLimits.urlBytesMax)
        for entry in query {
            for text in try entry.resolveTexts("The query parameter", lookup: lookup) {
                try budget.take(entry.name.utf8.count + text.utf8.count + 2)
                pairs.append("\(PercentCoding.encode(entry.name))=\(PercentCoding.encode(text))")
            }
        }
        guard !pairs.isEmpty else { return url }
        // By bytes: a mark behind "#" or "?" does not make another character of it.
        let bytes = url.utf8
        let fragment = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        let hasQuery = bytes[..<fragment].contains(UInt8(ascii: "?"))
        return String(url[..<fragment]) + (hasQuery ? "&" : "?") + pairs.joined(separator: "&")
            + String(url[fragment...])
    }

    private func expandedTemplate(_ lookup: Binding.Lookup) throws(AOperationError) -> String {
        var variables: [(String, URITemplate.Value)] = []
        var budget = ValueBudget("What is put into the URL", bytesMax: RunLimits.urlBytesMax)
        for entry in vars {
            let value = try entry.value.resolve(lookup: lookup)
            try budget.take(value, lookup.meter)
            variables.append((entry.name, try Self.templateValue(value, named: entry.name)))
        }
        try lookup.meter.spend(url.utf8.count + 32 * variables.count, on: .making)
        do throws(URITemplateError) {
            return try URITemplate(url, allowsReserved: false).expand(variables, path: .isKept)
        } catch {
            throw AOperationError(.templateInvalid, detail: "\(error.detail) \(error.suggestion)")
        }
    }

    /// A JSON value as a template variable. Null is undefined, also within a list or an object (RFC 6570 §2.3).
    private static func templateValue(
        _ value: JSONValue, named name: String
    ) throws(AOperationError) -> URITemplate.Value {
        switch value {
        case .null: return .undefined
        case .array(let elements):
            var texts: [String] = []
            for element in elements where !element.isNull {
                texts.append(try Binding.text(of: element, "An element of \(name)"))
            }
            return .list(texts)
        case .object(let object):
            var pairs: [(name: String, value: String)] = []
            for member in object.members where !member.value.isNull {
                pairs.append((member.name, try Binding.text(of: member.value, "A member of \(name)")))
            }
            return .pairs(pairs)
        default: return .string(try Binding.text(of: value, name))
        }
    }
}
