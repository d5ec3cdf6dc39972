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
        var url = url.utf8.contains(0x7B) ? try expandedTemplate(lookup) : url
        var pairs: [String] = []
        var room = ValueRoom("The query", bytesMax: RunLimits.urlBytesMax)
        for entry in query {
            for text in try entry.resolveTexts("The query parameter", lookup: lookup) {
                try room.take(entry.name.utf8.count + text.utf8.count + 2)
                pairs.append("\(PercentCoding.encode(entry.name))=\(PercentCoding.encode(text))")
            }
        }
        guard !pairs.isEmpty else { return url }
        let fragment = url.firstIndex(of: "#").map { String(url[$0...]) } ?? ""
        url.removeLast(fragment.count)
        return url + (url.contains("?") ? "&" : "?") + pairs.joined(separator: "&") + fragment
    }

    private func expandedTemplate(_ lookup: Binding.Lookup) throws(AOperationError) -> String {
        var variables: [(String, URITemplate.Value)] = []
        var room = ValueRoom("What is put into the URL", bytesMax: RunLimits.urlBytesMax)
        for entry in vars {
            let value = try entry.value.resolve(lookup: lookup)
            try room.take(value)
            if let part = try Self.templateValue(value, named: entry.name) {
                variables.append((entry.name, part))
            }
        }
        do throws(URITemplateError) {
            return try URITemplate(url, allowsReserved: false).expand(
                variables, missing: .isRefused, path: .isKept)
        } catch {
            throw AOperationError(.templateInvalid, detail: "\(error.detail) \(error.suggestion)")
        }
    }

    /// A JSON value as a template variable; nil for null, which counts as absent.
    private static func templateValue(
        _ value: JSONValue, named name: String
    ) throws(AOperationError) -> URITemplate.Value? {
        switch value {
        case .null: return nil
        case .array(let elements):
            var texts: [String] = []
            for element in elements {
                texts.append(try Binding.literal(element).resolveText("An element of \(name)") { _ in .null })
            }
            return .list(texts)
        case .object(let object):
            var pairs: [(name: String, value: String)] = []
            for member in object.members {
                let text = try Binding.literal(member.value).resolveText("A member of \(name)") { _ in .null }
                pairs.append((member.name, text))
            }
            return .pairs(pairs)
        default: return .string(try Binding.literal(value).resolveText(name) { _ in .null })
        }
    }
}
