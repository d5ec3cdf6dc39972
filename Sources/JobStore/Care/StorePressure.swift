/// How much work waits to be stored.
package struct StorePressure: Sendable, Hashable {
    /// How many writes wait.
    package var waiting = 0
    /// For how long the oldest of them has been waiting.
    package var oldest: Duration = .zero

    /// Nothing waits.
    package init(waiting: Int = 0, oldest: Duration = .zero) {
        self.waiting = waiting
        self.oldest = oldest
    }
}
