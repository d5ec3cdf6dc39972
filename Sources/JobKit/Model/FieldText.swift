/// The form of request fields (RFC 9110 §5).
package enum FieldText {
    /// Whether `text` is a token.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255
            && text.utf8.allSatisfy { byte in
                byte &- 0x61 < 26 || byte &- 0x41 < 26 || byte &- 0x30 < 10
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }

    /// Whether `text` has only visible characters, spaces and tabs.
    package static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }
}
