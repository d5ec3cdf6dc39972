/// The effect of waking a part of the jobs that wait under a key.
package struct WakeReceipt: Sendable, Hashable {
    /// The number of jobs that became `queued`.
    package var woken: Int
    /// Whether more jobs may wait under the key.
    package var isMore: Bool

    /// The largest part that one write wakes: it takes a PostgreSQL store some milliseconds.
    package static let part = 200

    package init(woken: Int, isMore: Bool) {
        self.woken = woken
        self.isMore = isMore
    }
}
