internal import Commands
internal import EventIO

/// The bytes of an input, one after the other, of which a piece is in memory at a time.
struct InputBytes {
    /// The name of the input, for people.
    let name: String
    private let more: () throws(CommandFailure) -> [UInt8]
    private var piece: [UInt8] = []
    private var position = 0
    private var isOver = false
    /// The line of the next byte, from 1.
    private(set) var line = 1

    private static let pieceBytes = 64 << 10

    /// - Parameter more: returns the next piece; empty at the end.
    init(_ name: String, more: @escaping () throws(CommandFailure) -> [UInt8]) {
        self.name = name
        self.more = more
    }

    /// Opens a file, or standard input for `-`.
    init(path: String) throws(CommandFailure) {
        guard let input = path == "-" ? .standardInput : DescriptorInput.open(path) else {
            throw SpecInput.unreadable(path)
        }
        self.init(SpecInput.name(of: path)) { () throws(CommandFailure) in
            guard let piece = input.read(atMost: Self.pieceBytes) else { throw SpecInput.unreadable(path) }
            return piece
        }
    }

    /// The next byte, which stays; nil at the end.
    mutating func peek() throws(CommandFailure) -> UInt8? {
        while position == piece.count {
            guard !isOver else { return nil }
            piece = try more()
            position = 0
            isOver = piece.isEmpty
        }
        return piece[position]
    }

    /// Takes the next byte; nil at the end.
    mutating func next() throws(CommandFailure) -> UInt8? {
        guard let byte = try peek() else { return nil }
        position += 1
        if byte == 0x0A { line += 1 }
        return byte
    }

    /// Takes the byte order mark at the beginning, if there is one.
    /// - Throws: `.failure` for UTF-16.
    mutating func skipMark() throws(CommandFailure) {
        while piece.count < 3, !isOver {
            let found = try more()
            isOver = found.isEmpty
            piece += found
        }
        if piece.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        guard !piece.starts(with: [0xFF, 0xFE]), !piece.starts(with: [0xFE, 0xFF]) else {
            throw CommandFailure(code: .failure, text: "\(name) is in UTF-16: save it as UTF-8.")
        }
    }

    /// Takes white space of JSON.
    mutating func skipSpace() throws(CommandFailure) {
        while let byte = try peek(), Self.isSpace(byte) { _ = try next() }
    }

    /// Takes white space of JSON, at most `most` bytes, and returns it.
    mutating func space(atMost most: Int) throws(CommandFailure) -> [UInt8] {
        var content: [UInt8] = []
        while content.count < most, let byte = try peek(), Self.isSpace(byte) {
            content.append(byte)
            _ = try next()
        }
        return content
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Takes all that is left, at most `most` bytes and one more.
    mutating func rest(atMost most: Int) throws(CommandFailure) -> [UInt8] {
        var content: [UInt8] = []
        while content.count <= most, let byte = try next() { content.append(byte) }
        return content
    }
}
