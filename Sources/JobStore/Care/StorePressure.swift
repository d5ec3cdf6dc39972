/// The writes that wait to be stored.
package struct StorePressure: Sendable, Hashable {
    /// The number of pending writes.
    package var waiting = 0
    /// The number of those of the tenant whose pressure this is; all of them without one.
    package var own = 0
    /// The age of the oldest one, of the tenant.
    package var oldest: Duration = .zero
    /// The time for which the database has not answered so far: a part of the age that is no sign of load.
    package var silence: Duration = .zero

    package init(
        waiting: Int = 0, own: Int? = nil, oldest: Duration = .zero, silence: Duration = .zero
    ) {
        self.waiting = waiting
        self.own = own ?? waiting
        self.oldest = oldest
        self.silence = silence
    }
}
