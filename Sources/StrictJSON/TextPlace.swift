/// The line and column of a byte.
struct TextPlace {
    /// The line, from 1. CR, LF and CR LF each end a line.
    private(set) var line = 1
    /// The column, from 1, in Unicode scalars.
    private(set) var column = 1

    init(of offset: Int, in bytes: Span<UInt8>) {
        for index in 0..<min(offset, bytes.count) {
            let byte = bytes[index]
            let isPairedReturn = byte == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
            if byte == 0x0A || byte == 0x0D && !isPairedReturn {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
    }
}
