/// The rules for `tracestate` (W3C Trace Context §3.3), which is passed on unchanged.
enum TraceState {
    /// The length up to which a value must be passed on, which is also the limit here.
    private static let bytesMax = 512
    private static let entriesMax = 32

    /// The value, joined from all lines with commas; nil when it is malformed or too long.
    static func checked(_ value: String) -> String? {
        guard value.utf8.count <= bytesMax else { return nil }
        var names: Set<Substring> = []
        var count = 0
        for part in value.split(separator: ",") {
            let entry = part.drop { $0 == " " || $0 == "\t" }
            if entry.isEmpty { continue }
            guard let equals = entry.firstIndex(of: "=") else { return nil }
            count += 1
            guard count <= entriesMax, isName(entry[..<equals]),
                isValue(entry[entry.index(after: equals)...]), names.insert(entry[..<equals]).inserted
            else { return nil }
        }
        return value
    }

    private static func isName(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, (1...256).contains(name.utf8.count) else { return false }
        let isFirst = (0x61...0x7A).contains(first) || (0x30...0x39).contains(first)
        return isFirst
            && name.utf8.allSatisfy { byte in
                switch byte {
                // a to z, 0 to 9, * - / @ _
                case 0x61...0x7A, 0x30...0x39, 0x2A, 0x2D, 0x2F, 0x40, 0x5F: true
                default: false
                }
            }
    }

    private static func isValue(_ value: Substring) -> Bool {
        !value.isEmpty && value.utf8.count <= 256
            && value.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x2C && $0 != 0x3D }
    }
}
