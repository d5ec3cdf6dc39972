import JobKit
import JobStore

/// Jobs in the order in which a claim takes them: by time, then by acceptance. Kept sorted; new ones nearly always
/// belong to the end.
struct ClaimOrder: Sendable {
    /// One place in the order.
    struct Place: Sendable, Comparable {
        /// When it became or becomes claimable.
        var time: Timestamp
        /// The order of acceptance.
        var number: Int64
        /// Which job.
        var id: JobID

        static func < (left: Place, right: Place) -> Bool {
            (left.time, left.number) < (right.time, right.number)
        }
    }

    private var sorted: [Place] = []
    /// How many at the beginning of `sorted` are gone: claims take from there.
    private var gone = 0

    /// All places in order.
    var places: ArraySlice<Place> { sorted[gone...] }

    /// The place that comes first.
    var first: Place? { places.first }

    /// Adds a place.
    mutating func insert(_ place: Place) {
        sorted.insert(place, at: index(of: place))
    }

    /// Removes a place; nothing happens when it is not there.
    mutating func remove(_ place: Place) {
        let index = index(of: place)
        guard index < sorted.count && sorted[index] == place else { return }
        if index > gone {
            sorted.remove(at: index)
            return
        }
        gone += 1
        if gone > 1_024 && gone > sorted.count / 2 {
            sorted.removeFirst(gone)
            gone = 0
        }
    }

    private func index(of place: Place) -> Int {
        if let last = places.last, last < place { return sorted.count }
        var low = gone
        var high = sorted.count
        while low < high {
            let middle = low + (high - low) / 2
            if sorted[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
