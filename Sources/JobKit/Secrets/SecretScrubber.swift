internal import Synchronization

/// Knows secret values and puts `***` in their place, in whatever is captured, noted or shown.
///
/// A value is found as it is and in base 64 (also inside of longer base 64), both also
/// in the escapes of JSON, HTML, XML and percent-encoding.
/// Values shorter than four bytes are not looked for. What was once handed out stays known for as long as the process
/// lives, so that an answer to an older value is scrubbed, too; of minted tokens the last thousand.
public final class SecretScrubber: Sendable {
    /// How many passing values are remembered.
    static let passingMax = 1_000

    private struct Knowledge {
        var patterns = SecretPatterns()
        var lasting: Set<[UInt8]> = []
        var passing: [[UInt8]] = []
    }

    private let knowledge = Mutex(Knowledge())

    /// A scrubber that knows nothing yet.
    public init() {}

    /// Whether nothing is looked for.
    public var isEmpty: Bool { knowledge.withLock { $0.patterns.isEmpty } }

    /// Looks for `value` from now on.
    public func know(_ value: [UInt8]) {
        guard value.count >= SecretForms.bytesMin else { return }
        knowledge.withLock { knowledge in
            guard knowledge.lasting.insert(value).inserted else { return }
            for form in SecretForms.all(of: value) { knowledge.patterns.insert(form) }
        }
    }

    /// Looks for `value`, of which there will be many, until a thousand others came after it.
    public func know(passing value: [UInt8]) {
        guard value.count >= SecretForms.bytesMin else { return }
        knowledge.withLock { knowledge in
            if knowledge.lasting.contains(value) || knowledge.passing.contains(value) { return }
            knowledge.passing.append(value)
            for form in SecretForms.all(of: value) { knowledge.patterns.insert(form) }
            guard knowledge.passing.count > Self.passingMax else { return }
            // Forgetting means to begin anew; half of them go, so that it is seldom done.
            knowledge.passing.removeFirst(Self.passingMax / 2)
            knowledge.patterns = SecretPatterns()
            for value in knowledge.lasting.union(knowledge.passing) {
                for form in SecretForms.all(of: value) { knowledge.patterns.insert(form) }
            }
        }
    }

    /// The bytes without secrets.
    public func scrubbed(_ bytes: [UInt8]) -> [UInt8] { patterns.replaced(in: bytes) ?? bytes }

    /// The text without secrets.
    public func scrubbed(_ text: String) -> String {
        let patterns = patterns
        guard !patterns.isEmpty, let bytes = patterns.replaced(in: Array(text.utf8)) else { return text }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The present patterns.
    var patterns: SecretPatterns { knowledge.withLock { $0.patterns } }
}
