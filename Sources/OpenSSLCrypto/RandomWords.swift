import Synchronization

/// Cryptographically secure random 64-bit words, buffered since every fetch costs a system call.
package final class RandomWords: Sendable {
    private static let wordsPerHelping = 128

    private let words = Mutex<[UInt64]>([])

    package init() {}

    package func pair() -> (UInt64, UInt64) {
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

/// A generator that returns two given words.
package struct DrawnWords: RandomNumberGenerator {
    private var words: (UInt64, UInt64)

    package init(_ words: (UInt64, UInt64)) { self.words = words }

    package mutating func next() -> UInt64 {
        let word = words.0
        words.0 = words.1
        return word
    }
}
