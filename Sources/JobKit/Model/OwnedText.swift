/// A text that clients choose freely, such as a key, as it is kept with those of other owners: the owner, U+0001 and
/// the text. No client can write this character, so texts of two owners never meet. Texts without an owner are kept as
/// they are; one that has the character nevertheless gets an empty owner.
package enum OwnedText {
    private static let mark: UInt8 = 1

    /// The beginning of the texts of an owner.
    package static func prefix(of owner: String) -> String { owner + "\u{1}" }

    /// - Parameter owner: empty for none.
    package static func stored(_ text: String, of owner: String) -> String {
        owner.isEmpty && !text.utf8.contains(mark) ? text : prefix(of: owner) + text
    }

    /// The owner of a stored text; nil when it has none.
    package static func owner(of stored: String) -> String? {
        guard let end = stored.utf8.firstIndex(of: mark), end > stored.startIndex else { return nil }
        return String(stored[..<end])
    }

    /// The text without its owner.
    package static func shown(_ stored: String) -> String {
        guard let end = stored.utf8.firstIndex(of: mark) else { return stored }
        return String(stored[stored.utf8.index(after: end)...])
    }
}
