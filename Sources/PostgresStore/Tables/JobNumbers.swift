import JobKit

/// Makes the numbers that decide between jobs that became runnable at one moment. Each server makes its own, in the
/// order of time: milliseconds, the slot of the server, and a count. Those of several servers rise as far as their
/// clocks agree; where jobs must follow each other, their numbers are made after the last one.
struct JobNumbers {
    /// The number of this server among those that share the schema.
    private let slot: Int64
    private var moment: Int64 = -1
    private var count: Int64 = 0
    private static let countBits: Int64 = 12
    private static let slotBits: Int64 = 10
    /// 2025-01-01, so that 41 bits of milliseconds last until 2094.
    private static let start: Int64 = 1_735_689_600_000

    /// - Parameter slot: 0…1023.
    init(slot: Int64) { self.slot = slot & ((1 << Self.slotBits) - 1) }

    /// A number above all that this server made before.
    mutating func next(at time: Timestamp) -> Int64 {
        let wanted = max(0, time.milliseconds - Self.start)
        count += 1
        if count == 1 << Self.countBits {
            moment += 1
            count = 0
        }
        if wanted > moment { (moment, count) = (wanted, 0) }
        return (moment << Self.slotBits | slot) << Self.countBits | count
    }

    /// A number above all that this server made before, and above `other`, which another server may have made.
    mutating func next(after other: Int64) -> Int64 {
        next(at: Timestamp(milliseconds: Self.start + (other >> (Self.slotBits + Self.countBits)) + 1))
    }
}
