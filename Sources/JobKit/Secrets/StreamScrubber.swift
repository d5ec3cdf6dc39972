/// Puts `***` in the place of secrets in a content that comes in pieces, also where one lies across pieces.
///
/// It holds back the end of a piece only where that may be the beginning of something it looks for.
public struct StreamScrubber: Sendable {
    private let patterns: SecretPatterns
    private let keepsLength: Bool
    private var held: [UInt8] = []
    /// Whether something was replaced so far.
    private(set) var hasHidden = false

    /// A stream that is scrubbed of what `scrubber` knows now.
    /// - Parameter keepsLength: whether there is one `*` for each byte, so that everything stays at its place.
    public init(_ scrubber: SecretScrubber, keepsLength: Bool = false) {
        patterns = scrubber.patterns
        self.keepsLength = keepsLength
    }

    /// Whether nothing is looked for, so that pieces may pass as they are.
    public var isIdle: Bool { patterns.isEmpty }

    /// Takes a piece and returns what can be passed on.
    public mutating func take(_ piece: Span<UInt8>) -> [UInt8] {
        var bytes = held
        held = []
        bytes.reserveCapacity(bytes.count + piece.count)
        for index in 0..<piece.count { bytes.append(piece[index]) }
        guard !patterns.isEmpty else { return bytes }
        return pass(bytes, isLast: false)
    }

    /// Ends the stream and returns the rest.
    public mutating func finish() -> [UInt8] {
        let bytes = held
        held = []
        return pass(bytes, isLast: true)
    }

    private mutating func pass(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let finding = patterns.finding(in: bytes, at: index, isWhole: isLast)
            if finding.isOpen { break }
            if let length = finding.length {
                hasHidden = true
                output += keepsLength ? [UInt8](repeating: 0x2A, count: length) : SecretPatterns.mark
                index += length
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        if index < bytes.count { held = Array(bytes[index...]) }
        return output
    }
}
