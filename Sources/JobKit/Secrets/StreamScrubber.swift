/// Redacts secrets as `***` in streamed content, also across chunks.
///
/// The end of a chunk is held back only where it may be the beginning of a match.
package struct StreamScrubber: Sendable {
    private let patterns: SecretPatterns
    private let keepsLength: Bool
    private var held: [UInt8] = []
    /// Whether something was replaced so far.
    private(set) var hasHidden = false

    /// A stream for the current values of `scrubber`.
    /// - Parameter keepsLength: whether there is one `*` for each byte, so that positions do not shift.
    package init(_ scrubber: SecretScrubber, keepsLength: Bool = false) {
        patterns = scrubber.patterns
        self.keepsLength = keepsLength
    }

    /// Whether there are no values, so that chunks may pass unchanged.
    package var isIdle: Bool { patterns.isEmpty }

    /// Takes a chunk and returns the bytes to pass on.
    package mutating func take(_ piece: Span<UInt8>) -> [UInt8] {
        var bytes = held
        held = []
        bytes.reserveCapacity(bytes.count + piece.count)
        bytes.append(addingCapacity: piece.count) { bytes in
            for index in piece.indices { bytes.append(piece[index]) }
        }
        guard !patterns.isEmpty else { return bytes }
        return pass(bytes, isLast: false)
    }

    /// Ends the stream and returns the rest.
    package mutating func finish() -> [UInt8] {
        let bytes = held
        held = []
        return pass(bytes, isLast: true)
    }

    private mutating func pass(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        var output: [UInt8] = []
        var copied = 0
        var index = 0
        while index < bytes.count {
            index = patterns.nextStart(in: bytes.span, from: index)
            let finding = patterns.finding(in: bytes, at: index, isWhole: isLast)
            if finding.isOpen { break }
            guard let length = finding.length else {
                index += 1
                continue
            }
            hasHidden = true
            output += bytes[copied..<index]
            output += keepsLength ? [UInt8](repeating: 0x2A, count: length) : SecretPatterns.mark
            index += length
            copied = index
        }
        if copied == 0, index == bytes.count { return bytes }
        if index < bytes.count { held = Array(bytes[index...]) }
        output += bytes[copied..<index]
        return output
    }
}
