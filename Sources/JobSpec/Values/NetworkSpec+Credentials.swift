internal import StrictJSON

extension NetworkSpec {
    /// The place of a field or query parameter outside of `auth` that has a text of the spec as its value and the name
    /// of a credential; nil when there is none.
    var openCredential: String? {
        if let name = Self.openCredential(in: headers) { return "The header \(name)" }
        return Self.openCredential(in: query).map { "The query parameter \($0)" }
    }

    private static func openCredential(in entries: [Entry]) -> String? {
        entries.first { entry in
            guard case .literal(.string(let text)) = entry.value else { return false }
            return !text.isEmpty && namesCredential(entry.name)
        }?.name
    }

    private static func namesCredential(_ name: String) -> Bool {
        let bytes = name.utf8.lazy.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }.map {
            $0 | 0x20
        }
        return credentialNames.contains { bytes.elementsEqual($0.utf8) }
    }

    /// In small letters, without hyphens and underscores.
    private static let credentialNames = [
        "authorization", "proxyauthorization", "cookie", "apikey", "xapikey", "token", "apitoken",
        "accesstoken",
        "authtoken", "xauthtoken", "xaccesstoken", "privatetoken", "xauthkey", "clientsecret", "password",
        "secret",
    ]
}
