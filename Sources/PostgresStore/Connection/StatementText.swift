/// The text of a statement, as a key. Its hash reads the length and the end only: to hash a whole text costs more than
/// to compare the few that collide.
struct StatementText: Hashable {
    private let text: String

    init(_ text: String) { self.text = text }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text.utf8.count)
        for byte in text.utf8.suffix(8) { hasher.combine(byte) }
    }
}
