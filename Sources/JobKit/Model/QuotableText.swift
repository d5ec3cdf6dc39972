extension String {
    /// At most 60 characters of untrusted text, without control characters.
    package init(quotable text: String) {
        let first = text.unicodeScalars.prefix(60)
        let cut = first.filter { $0.value >= 0x20 && $0.value != 0x7F }
        self = String(String.UnicodeScalarView(cut)) + (first.endIndex < text.endIndex ? "…" : "")
    }
}
