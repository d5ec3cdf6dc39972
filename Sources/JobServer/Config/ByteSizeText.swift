/// A number of bytes as flags have it: `4096`, `64KiB`, `10GiB`.
enum ByteSizeText {
    private static let units: [(name: String, bytes: Int64)] = [
        ("", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
    ]

    /// Nil when the text has another form.
    static func parse(_ text: Substring) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).utf8
        guard let number = Int64(digits),
            let bytes = units.first(where: { unit.elementsEqual($0.name.utf8) })?.bytes
        else { return nil }
        let (size, isOver) = number.multipliedReportingOverflow(by: bytes)
        return isOver ? nil : size
    }

    /// The number in the largest unit in which it is at least 1, rounded down: `31 MiB`.
    static func short(_ bytes: Int) -> String {
        let unit = units.last { Int64(bytes) >= $0.bytes } ?? units[0]
        return "\(Int64(bytes) / unit.bytes) \(unit.name.isEmpty ? "bytes" : unit.name)"
    }
}
