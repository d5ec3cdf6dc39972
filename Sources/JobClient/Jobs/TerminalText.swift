internal import StrictJSON

/// Text of others for a terminal: characters that control it, or turn the direction of what follows, appear by their
/// number.
extension String {
    /// With its line ends.
    var onTerminal: String { shown { $0 == "\n" } }

    var onOneLine: String { shown { _ in false } }

    private func shown(_ isKept: (Unicode.Scalar) -> Bool) -> String {
        func isShown(_ scalar: Unicode.Scalar) -> Bool {
            scalar.isASCII ? scalar.value >= 0x20 && scalar.value != 0x7F : scalar.isVisible
        }
        if unicodeScalars.allSatisfy({ isShown($0) || isKept($0) }) { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if isShown(scalar) || isKept(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                text += "⟨\(String(scalar.value, radix: 16, uppercase: true))⟩"
            }
        }
    }
}
