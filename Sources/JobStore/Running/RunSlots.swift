internal import Synchronization

/// The free slots of a runner, shared with the store: a job claimed in the commit that stores it takes one before the
/// runner knows of it.
package final class RunSlots: Sendable {
    private let free: Atomic<Int>

    /// Creates `count` free slots.
    package init(_ count: Int) { free = Atomic(count) }

    /// Takes up to `count` slots. From any thread.
    /// - Returns: the number taken.
    package func take(_ count: Int) -> Int {
        var known = free.load(ordering: .relaxed)
        while true {
            let taken = min(count, known)
            guard taken > 0 else { return 0 }
            let (exchanged, original) = free.weakCompareExchange(
                expected: known, desired: known - taken, ordering: .acquiringAndReleasing)
            if exchanged { return taken }
            known = original
        }
    }

    /// Returns slots. From any thread.
    package func giveBack(_ count: Int) {
        if count > 0 { free.wrappingAdd(count, ordering: .acquiringAndReleasing) }
    }
}
