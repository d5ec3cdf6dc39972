/// Recognizes names of credentials.
package enum CredentialName {
    private static let marks = [
        "auth", "cookie", "token", "secret", "key", "passw", "credential", "session", "signature", "jwt",
    ]

    /// Whether the value of a field or a parameter of this name is better not shown. `Idempotency-Key` is none.
    package static func isOne(_ name: String) -> Bool {
        let lower = Array(name.lowercased().utf8)
        return !lower.elementsEqual("idempotency-key".utf8) && marks.contains { lower.contains($0.utf8) }
    }
}
