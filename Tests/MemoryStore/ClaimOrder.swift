import JobKit
import JobStore

/// Jobs in the order in which a claim takes them: by time, then by acceptance. Kept sorted; new ones nearly always
/// belong to the end.
struct ClaimOrder: Sendable {
    /// A place in the order.
    struct Place: Sendable, Comparable {
        /// The time at which the job became or becomes claimable.
        var time: Timestamp
        /// The order of acceptance.
        var number: Int64
        var id: JobID

        static func < (left: Place, right: Place) -> Bool {
            (left.time, left.number) < (right.time, right.number)
        }
    }

    private var sorted: [Place] = []
    /// The number of removed places at the beginning of `sorted`, where claims take from.
    private var gone = 0

    /// All places in order.
    var places: ArraySlice<Place> { sorted[gone...] }

    /// The first place.
    var first: Place? { places.first }

    /// Adds a place.
    mutating func insert(_ place: Place) {
        sorted.insert(place, at: index(of: place))
    }

    /// Removes a place if it exists.
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
