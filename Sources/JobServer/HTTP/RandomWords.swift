import Synchronization

/// Random 64-bit words that nobody can guess, fetched from the system in large helpings: one at a time costs a
/// system call each.
final class RandomWords: Sendable {
    private static let wordsPerHelping = 128

    private let words = Mutex<[UInt64]>([])

    /// Fetches nothing yet.
    init() {}

    /// Two fresh words.
    func pair() -> (UInt64, UInt64) {
        words.withLock { words in
            if words.count < 2 { words = RandomWords.helping() }
            return (words.removeLast(), words.removeLast())
        }
    }

    private static func helping() -> [UInt64] {
        let bytes = SecureRandom.bytes(wordsPerHelping * 8)
        return (0..<wordsPerHelping).map { word in
            bytes[(word * 8)..<(word * 8 + 8)].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}

/// Gives out two words that were drawn before.
struct DrawnWords: RandomNumberGenerator {
    private var words: (UInt64, UInt64)

    /// The two words.
    init(_ words: (UInt64, UInt64)) { self.words = words }

    /// The next word.
    mutating func next() -> UInt64 {
        let word = words.0
        words.0 = words.1
        return word
    }
}
