internal import StrictJSON

extension String {
    /// Whether the bytes of `part` occur in a row, in time linear in both (Knuth, Morris, Pratt 1977).
    func hasBytes(of part: String) -> Bool {
        let (text, part) = (utf8.span, part.utf8.span)
        guard !part.isEmpty else { return true }
        guard part.count <= text.count else { return false }
        // For each length of a beginning of `part`, the longest shorter one that is also its end.
        var ends = [Int](repeating: 0, count: part.count)
        var matched = 0
        for index in 1..<part.count {
            while matched > 0, part[index] != part[matched] { matched = ends[matched - 1] }
            if part[index] == part[matched] { matched += 1 }
            ends[index] = matched
        }
        matched = 0
        for index in text.indices {
            while matched > 0, text[index] != part[matched] { matched = ends[matched - 1] }
            if text[index] == part[matched] { matched += 1 }
            if matched == part.count { return true }
        }
        return false
    }
}
