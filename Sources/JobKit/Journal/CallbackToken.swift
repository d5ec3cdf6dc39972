internal import HTTPMessage

/// The last part of a callback URL, which is itself the permission to end a wait: `jcb1_` and, in base 64 for URLs, the
/// id of the key, the job, the round, the path of the operation, and a MAC over all of it.
package struct CallbackToken: Sendable, Hashable {
    /// The version, which begins each token.
    package static let prefix = "jcb1_"
    /// The length of the id of a key.
    package static let keyIDBytes = 4
    /// The length of the MAC.
    package static let macBytes = 32
    /// The maximum length of a token: enough for the deepest operation of a spec.
    package static let bytesMax = 2_048
    /// The least length of a token.
    private static let fixedBytes = keyIDBytes + 16 + 4 + macBytes

    /// The key that its MAC is made with.
    package var keyID: [UInt8]
    package var job: JobID
    package var place: CallbackPlace
    /// The MAC over `signed`.
    package var mac: [UInt8]

    package init(keyID: [UInt8], job: JobID, place: CallbackPlace, mac: [UInt8] = []) {
        self.keyID = keyID
        self.job = job
        self.place = place
        self.mac = mac
    }

    /// The content of the MAC: all but itself.
    package var signed: [UInt8] {
        var bytes = Array(Self.prefix.utf8) + keyID
        for word in [job.high, job.low] { Self.append(word, 8, to: &bytes) }
        Self.append(UInt64(clamping: place.round), 4, to: &bytes)
        return bytes + Array(place.path.joined(separator: "/").utf8)
    }

    private static func append(_ word: UInt64, _ count: Int, to bytes: inout [UInt8]) {
        for shift in stride(from: 8 * (count - 1), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
    }

    /// The token as text.
    package var text: String {
        let content = signed.dropFirst(Self.prefix.utf8.count) + mac
        let digits = Base64.encode(Array(content)).lazy.filter { $0 != 0x3D }
            .map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 }
        return Self.prefix + String(decoding: Array(digits), as: UTF8.self)
    }

    /// Reads a token; nil when it cannot be one. Its MAC is not checked.
    package init?(_ text: some Collection<UInt8>) {
        guard text.count <= Self.bytesMax, text.starts(with: Self.prefix.utf8) else { return nil }
        let digits = text.dropFirst(Self.prefix.utf8.count)
        guard digits.allSatisfy(Self.isDigit), digits.count % 4 != 1 else { return nil }
        let plain = digits.map { $0 == 0x2D ? 0x2B : $0 == 0x5F ? 0x2F : $0 }
        let padded = plain + [UInt8](repeating: 0x3D, count: (4 - plain.count % 4) % 4)
        guard let bytes = Base64.decode(padded), bytes.count >= Self.fixedBytes else { return nil }
        keyID = Array(bytes[..<Self.keyIDBytes])
        var at = Self.keyIDBytes
        func word(_ count: Int) -> UInt64 {
            defer { at += count }
            return bytes[at..<at + count].reduce(0) { $0 << 8 | UInt64($1) }
        }
        job = JobID(high: word(8), low: word(8))
        let round = Int(word(4))
        guard let path = String(validating: bytes[at..<bytes.count - Self.macBytes], as: UTF8.self) else {
            return nil
        }
        place = CallbackPlace(path: path.isEmpty ? [] : OperationAddress.path(path), round: round)
        mac = Array(bytes.suffix(Self.macBytes))
        // One token has one text: otherwise spare bits of the last digit would be others.
        guard self.text.utf8.elementsEqual(text) else { return nil }
    }

    /// Whether a byte may stand behind the prefix.
    static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }
}
