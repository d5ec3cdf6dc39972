/// The writes that wait to be stored.
package struct StorePressure: Sendable, Hashable {
    /// The number of writes that wait.
    package var waiting = 0
    /// The time that the oldest of them has been waiting.
    package var oldest: Duration = .zero

    /// Nothing waits.
    package init(waiting: Int = 0, oldest: Duration = .zero) {
        self.waiting = waiting
        self.oldest = oldest
    }
}
