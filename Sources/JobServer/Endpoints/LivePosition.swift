import JobKit
import StrictJSON

/// A place in content that may still be arriving: the number of its attempt, and an offset in bytes.
struct LivePosition: Sendable, Hashable {
    /// The attempt; nil is the latest one.
    var attempt: Int?
    /// The offset in bytes; nil is the end of what is there.
    var offset: Int?

    static let start = LivePosition(attempt: nil, offset: 0)
    /// The end of what is there.
    static let now = LivePosition(attempt: nil, offset: nil)

    init(attempt: Int?, offset: Int?) {
        self.attempt = attempt
        self.offset = offset
    }

    /// Reads `text`, or "-1" for the beginning and "now" for the end; nil when it is something else.
    init?(_ text: String) {
        if text.hasSameBytes(as: "-1") {
            self = .start
        } else if text.hasSameBytes(as: "now") {
            self = .now
        } else {
            let bytes = Array(text.utf8)
            guard let bar = bytes.firstIndex(of: UInt8(ascii: "_")),
                let attempt = Self.number(bytes[..<bar]), attempt > 0,
                let offset = Self.number(bytes[(bar + 1)...])
            else { return nil }
            self.init(attempt: attempt, offset: offset)
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...18).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// The offset for clients, whose order as a text is that of the content.
    var text: String {
        guard let attempt, let offset else { return offset == nil ? "now" : "-1" }
        return Self.padded(attempt, 6) + "_" + Self.padded(offset, 16)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

/// A part of content that may still be arriving.
struct LivePiece: Sendable, Hashable {
    /// The attempt that made the content.
    var attempt: Int
    /// The end of the part in the content.
    var end: Int
    /// Whether there is no more at present.
    var isLast: Bool
    /// Whether the content is whole.
    var isWhole: Bool
    var contentType: String?
    /// The content codings of the content; nil without any, and while it arrives.
    var contentCoding: String?
    var bytes: [UInt8]

    /// The position after it.
    var next: LivePosition { LivePosition(attempt: attempt, offset: end) }
}

/// The question of one server for a piece that another one has.
struct LiveQuestion: Sendable, Hashable {
    var position: LivePosition
    /// For how long the other server may wait for more, in milliseconds.
    var patience: Int
    /// The names of the operation below the root.
    var path: [String]

    init(_ position: LivePosition, at path: [String], patience: Int) {
        self.position = position
        self.path = path
        self.patience = patience
    }

    /// Reads what `bytes` wrote; nil when it is something else.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 24 else { return nil }
        let attempt = Int(clamping: PageToken.number(bytes[0..<8]))
        let offset = PageToken.number(bytes[8..<16])
        position = LivePosition(
            attempt: attempt == 0 ? nil : attempt, offset: offset == .max ? nil : Int(clamping: offset))
        patience = min(Int(clamping: PageToken.number(bytes[16..<24])), 10_000)
        path = OperationAddress.path(String(decoding: bytes[24...], as: UTF8.self))
    }

    var bytes: [UInt8] {
        PageToken.bytes(UInt64(position.attempt ?? 0))
            + PageToken.bytes(position.offset.map { UInt64($0) } ?? .max) + PageToken.bytes(UInt64(patience))
            + Array(OperationAddress.text(of: path).utf8)
    }

    static func answer(_ piece: LivePiece) -> [UInt8] {
        let type = Array((piece.contentType ?? "").utf8)
        return PageToken.bytes(UInt64(piece.attempt)) + PageToken.bytes(UInt64(piece.end))
            + [piece.isLast ? 1 : 0, piece.isWhole ? 1 : 0] + PageToken.bytes(UInt64(type.count)) + type
            + piece.bytes
    }

    /// Reads what `answer` wrote; nil when it is something else.
    static func piece(_ answer: [UInt8]) -> LivePiece? {
        guard answer.count >= 26 else { return nil }
        let count = Int(clamping: PageToken.number(answer[18..<26]))
        guard count <= answer.count - 26 else { return nil }
        let type = String(decoding: answer[26..<(26 + count)], as: UTF8.self)
        return LivePiece(
            attempt: Int(clamping: PageToken.number(answer[0..<8])),
            end: Int(clamping: PageToken.number(answer[8..<16])), isLast: answer[16] == 1,
            isWhole: answer[17] == 1, contentType: type.isEmpty ? nil : type,
            bytes: Array(answer[(26 + count)...]))
    }
}
