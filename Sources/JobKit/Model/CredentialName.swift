/// Recognizes names of credentials.
package enum CredentialName {
    private static let marks = [
        "auth", "cookie", "token", "secret", "key", "passw", "credential", "session", "signature", "jwt",
    ].map { Array($0.utf8) }

    /// Whether the value of a field or a parameter of this name is better not shown. `Idempotency-Key` is none.
    package static func isOne(_ name: String) -> Bool {
        let lower = Array(name.lowercased().utf8)
        return !lower.elementsEqual("idempotency-key".utf8) && marks.contains { Self.holds($0, lower) }
    }

    private static func holds(_ mark: [UInt8], _ name: [UInt8]) -> Bool {
        guard name.count >= mark.count else { return false }
        return (0...name.count - mark.count).contains { start in
            name[start] == mark[0] && name[start..<start + mark.count].elementsEqual(mark)
        }
    }
}
