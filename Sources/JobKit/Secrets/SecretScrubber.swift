internal import Synchronization

/// Redacts secret values as `***`, in everything that is captured, recorded or shown.
///
/// A value is found plain and in base 64 (also inside longer base 64), both also in the escapes of JSON, HTML, XML and
/// percent-encoding. Values shorter than four bytes are not searched for. A registered value stays registered for the
/// lifetime of the process, so that an answer to an older value is redacted, too; of minted tokens the last thousand.
public final class SecretScrubber: Sendable {
    /// The limit of temporary values.
    static let passingMax = 1_000

    private struct Knowledge {
        var patterns = SecretPatterns()
        var lasting: Set<[UInt8]> = []
        var passing: [[UInt8]] = []
        var hasCallbacks = false
    }

    private let knowledge = Mutex(Knowledge())
    private let whole: SecretScrubber?

    /// A scrubber without values.
    public init() { whole = nil }

    /// A scrubber without values, whose values another one learns, too.
    package init(partOf whole: SecretScrubber) { self.whole = whole }

    /// Whether there are no values.
    public var isEmpty: Bool { knowledge.withLock { $0.patterns.isEmpty } }

    /// Registers `value`.
    public func know(_ value: [UInt8]) {
        guard value.count >= SecretForms.bytesMin else { return }
        let isNew = knowledge.withLock { knowledge -> Bool in
            guard knowledge.lasting.insert(value).inserted else { return false }
            for form in SecretForms.all(of: value) { knowledge.patterns.insert(form) }
            return true
        }
        if isNew { whole?.know(value) }
    }

    /// Registers a temporary value, until a thousand others were registered after it.
    public func know(passing value: [UInt8]) {
        guard value.count >= SecretForms.bytesMin else { return }
        let isNew = knowledge.withLock { knowledge -> Bool in
            if knowledge.lasting.contains(value) || knowledge.passing.contains(value) { return false }
            knowledge.passing.append(value)
            for form in SecretForms.all(of: value) { knowledge.patterns.insert(form) }
            guard knowledge.passing.count > Self.passingMax else { return true }
            // Removal rebuilds everything; half of them are removed at once, so that it is rare.
            knowledge.passing.removeFirst(Self.passingMax / 2)
            knowledge.patterns = SecretPatterns()
            if knowledge.hasCallbacks { knowledge.patterns.insert(opening: Array(CallbackToken.prefix.utf8)) }
            for value in knowledge.lasting.union(knowledge.passing) {
                for form in SecretForms.all(of: value) { knowledge.patterns.insert(form) }
            }
            return true
        }
        if isNew { whole?.know(passing: value) }
    }

    /// Registers a callback URL. From the first one on, all texts that may be the token of one are redacted: those of
    /// earlier lives of the process are not known.
    package func know(callbackURL: String) {
        knowCallbacks()
        let token = callbackURL.utf8.reversed().prefix { $0 != 0x2F }
        know(passing: token.reversed())
    }

    /// Redacts all texts that may be the token of a callback URL from now on.
    package func knowCallbacks() {
        knowledge.withLock {
            $0.hasCallbacks = true
            $0.patterns.insert(opening: Array(CallbackToken.prefix.utf8))
        }
        whole?.knowCallbacks()
    }

    /// The bytes without secrets.
    public func scrubbed(_ bytes: [UInt8]) -> [UInt8] { patterns.replaced(in: bytes) ?? bytes }

    /// The text without secrets.
    public func scrubbed(_ text: String) -> String {
        let patterns = patterns
        guard patterns.mayBe(in: text.utf8.span), let bytes = patterns.replaced(in: Array(text.utf8))
        else { return text }
        return String(decoding: bytes, as: UTF8.self)
    }

    var patterns: SecretPatterns { knowledge.withLock { $0.patterns } }
}
