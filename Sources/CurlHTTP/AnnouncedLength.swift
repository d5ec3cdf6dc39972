/// The length that the head of a response announces. libcurl takes the last of several and the leading digits of a
/// malformed one; an intermediary may take another, and see a different end of the response (RFC 9112 §6.3).
enum AnnouncedLength {
    case none
    case bytes(Int)

    private static let name: StaticString = "content-length:"

    /// Parses one line of a head.
    ///
    /// - Returns: false when it announces a malformed length, or a different one than an earlier line.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        let nameCount = 15
        guard line.count > nameCount, unsafe line[0] | 0x20 == UInt8(ascii: "c"),
            unsafe line[14] == UInt8(ascii: ":"), unsafe Self.isName(line)
        else { return true }
        var index = nameCount
        repeat {
            guard let length = unsafe Self.number(line, &index) else { return false }
            if case .bytes(let known) = self, known != length { return false }
            self = .bytes(length)
        } while unsafe index < line.count && Self.skipComma(line, &index)
        return index >= line.count
    }

    private static func isName(_ line: UnsafeRawBufferPointer) -> Bool {
        for index in 0..<name.utf8CodeUnitCount - 1 {
            guard unsafe line[index] | 0x20 == name.utf8Start[index] else { return false }
        }
        return true
    }

    /// A decimal number with white space around it; nil when there is none, or one that is too large.
    private static func number(_ line: UnsafeRawBufferPointer, _ index: inout Int) -> Int? {
        unsafe skipSpace(line, &index)
        let start = index
        var value = 0
        while index < line.count, unsafe (0x30...0x39).contains(line[index]) {
            let (tenfold, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tenfold.addingReportingOverflow(Int(unsafe line[index]) - 0x30)
            guard !overflows, !overflowsToo else { return nil }
            value = sum
            index += 1
        }
        let isNumber = index > start
        unsafe skipSpace(line, &index)
        return isNumber ? value : nil
    }

    private static func skipComma(_ line: UnsafeRawBufferPointer, _ index: inout Int) -> Bool {
        guard unsafe line[index] == UInt8(ascii: ",") else { return false }
        index += 1
        return true
    }

    private static func skipSpace(_ line: UnsafeRawBufferPointer, _ index: inout Int) {
        while index < line.count, unsafe line[index] <= 0x20 { index += 1 }
    }
}
