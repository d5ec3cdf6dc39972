/// A place in the lines for exclusive keys.
struct LinePlace: Hashable, Comparable {
    /// The number of a waiter that came last in all lines when it came.
    let number: UInt64
    /// The order of the places of one number: that of the waiter itself is the last of them, before it are those that
    /// were made for waiters that pass it.
    let order: Int64

    static func < (left: LinePlace, right: LinePlace) -> Bool {
        (left.number, left.order) < (right.number, right.order)
    }
}
