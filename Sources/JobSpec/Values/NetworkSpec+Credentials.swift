internal import JobKit
internal import StrictJSON

extension NetworkSpec {
    /// The place outside of `auth` with a text of the spec that has the name or the form of a credential; nil without
    /// one. Values that are filled in, such as secrets, are none.
    var openCredential: String? {
        if let name = Self.openCredential(in: headers) { return "The header \(name)" }
        if let name = Self.openCredential(in: query) { return "The query parameter \(name)" }
        if let name = CredentialLook.parameter(of: url) { return "The query parameter \(name) in the URL" }
        switch body {
        case .json(let content): return content.openCredential.map { "The member \($0) of json" }
        case .form(let entries): return Self.openCredential(in: entries).map { "The field \($0) of form" }
        case .multipart(let form):
            let part = form.parts.first { part in
                guard case .text(let text) = part.content else { return false }
                return CredentialLook.matches(part.name, text)
            }
            return part.map { "The part \(String(quotable: $0.name)) of multipart" }
        case .text, .base64, .artifact, nil: return nil
        }
    }

    private static func openCredential(in entries: [Entry]) -> String? {
        entries.first { CredentialLook.matches($0.name, $0.value) }.map { String(quotable: $0.name) }
    }
}

extension Binding {
    /// The name of the first member inside of it that is a credential written into the spec.
    fileprivate var openCredential: String? {
        switch self {
        case .literal(let value): return value.openCredential
        case .array(let parts): return parts.lazy.compactMap(\.openCredential).first
        case .object(let entries):
            for entry in entries {
                if CredentialLook.matches(entry.name, entry.value) { return String(quotable: entry.name) }
                if let found = entry.value.openCredential { return found }
            }
            return nil
        case .get, .text: return nil
        }
    }
}

extension JSONValue {
    fileprivate var openCredential: String? {
        switch self {
        case .object(let object):
            for member in object.members {
                if case .string(let text) = member.value {
                    if CredentialLook.matches(member.name, text) { return String(quotable: member.name) }
                } else if let found = member.value.openCredential {
                    return found
                }
            }
            return nil
        case .array(let elements): return elements.lazy.compactMap(\.openCredential).first
        default: return nil
        }
    }
}

/// The names of credentials, and the forms of common tokens.
private enum CredentialLook {
    /// Whether a text that the spec has under this name is probably a credential.
    static func matches(_ name: String, _ value: Binding) -> Bool {
        if case .literal(.string(let text)) = value { matches(name, text) } else { false }
    }

    static func matches(_ name: String, _ text: String) -> Bool {
        !text.utf8.isEmpty && (isName(name.utf8) || isToken(text))
    }

    /// The first parameter in the query of a URL that has the name of a credential and a value.
    static func parameter(of url: String) -> String? {
        let query = url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        if query.isEmpty { return nil }
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            guard let first = pair.dropFirst(name.count + 1).first, first != UInt8(ascii: "{"),
                isName(name)
            else { continue }
            return String(Substring(name))
        }
        return nil
    }

    private static func isName(_ name: some Collection<UInt8>) -> Bool {
        // Each member of each call is looked at: few begin like a name of the list, and fewer are as long.
        guard let first = name.first, firstLetters.contains(first) else { return false }
        var length = 0
        for byte in name where !isSeparator(byte) { length += 1 }
        return names.contains { $0.count == length && equals(name, $0) }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// Whether a name is one of the list, which has as many letters.
    private static func equals(_ name: some Collection<UInt8>, _ listed: [UInt8]) -> Bool {
        var place = 0
        for byte in name where !isSeparator(byte) {
            if byte | 0x20 != listed[place] { return false }
            place += 1
        }
        return true
    }

    /// Whether it has the form in which a known service writes its tokens.
    private static func isToken(_ text: String) -> Bool {
        guard text.utf8.count >= tokenMin, let first = text.utf8.first, tokenLetters.contains(first),
            tokenBeginnings.contains(where: { $0[0] == first && begins(text, with: $0) })
        else { return false }
        return text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func begins(_ text: String, with beginning: [UInt8]) -> Bool {
        var place = 0
        for byte in text.utf8 {
            if place == beginning.count { return true }
            if byte != beginning[place] { return false }
            place += 1
        }
        return place == beginning.count
    }

    /// The least length of a token.
    private static let tokenMin = 20
    /// Tokens of GitHub, GitLab, Slack, Stripe, Anthropic, OpenAI, AWS and Google.
    private static let tokenBeginnings = [
        "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "sk_live_", "rk_live_", "sk-ant-",
        "sk-proj-", "AKIA", "AIza",
    ].map { Array($0.utf8) }
    private static let tokenLetters = LetterSet(tokenBeginnings.compactMap(\.first))
    private static let firstLetters = LetterSet(names.compactMap(\.first))
    /// In small letters, without hyphens and underscores.
    private static let names = [
        "authorization", "proxyauthorization", "cookie", "apikey", "xapikey", "token", "apitoken",
        "accesstoken", "authtoken", "xauthtoken", "xaccesstoken", "refreshtoken", "privatetoken", "xauthkey",
        "clientsecret", "password", "secret",
    ].map { Array($0.utf8) }
}

/// Letters, large or small, without the cost of hashing.
private struct LetterSet {
    private var bits: UInt32 = 0

    init(_ letters: some Sequence<UInt8>) {
        for letter in letters { bits |= 1 << UInt32(letter & 0x1F) }
    }

    /// Whether it has a letter. Bytes that are none may pass for one.
    func contains(_ byte: UInt8) -> Bool { byte >= 0x40 && bits >> UInt32(byte & 0x1F) & 1 == 1 }
}
