internal import JobKit

// DESIGN
// The store gives the posts to a job numbers without gaps, in the order of its journal. Servers store them by turns,
// and a run hears of those of another server up to 50 ms later than of those of its own. A run notes which message an
// operation took by the place of the message in the journal, and a release ends the hold before it: so the run sees
// posts in their order, and one that arrives early waits for those before.

/// The posts to a run, in the order of their numbers.
struct PostOrder: Sendable {
    /// The number of the last post that the run has seen. It has seen all before.
    private(set) var seen: Int64
    private var early: [Int64: JobMessage] = [:]

    /// - Parameter seen: the number of the last post that the claim has.
    init(seen: Int64) { self.seen = seen }

    /// Whether posts have arrived that wait for an earlier one. After `next` has returned nil.
    var isBroken: Bool { !early.isEmpty }

    /// Whether one of them is a member, for which its group is kept open.
    var hasEarlyMember: Bool {
        early.values.contains { if case .member = $0.content { true } else { false } }
    }

    /// Takes a post as it arrives, unless the run has seen it: other servers tell also of posts that the claim has.
    mutating func arrived(_ message: JobMessage, number: Int64) {
        if number > seen { early[number] = message }
    }

    /// The next post in order, which the run sees now; nil when it has not arrived.
    mutating func next() -> JobMessage? {
        guard let message = early.removeValue(forKey: seen + 1) else { return nil }
        seen += 1
        return message
    }
}
