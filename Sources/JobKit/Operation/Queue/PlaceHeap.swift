/// Places in a line, the first of them at hand. A place may be in it twice.
struct PlaceHeap {
    /// Each is not after those at 2n + 1 and 2n + 2.
    private(set) var places: [UInt64] = []

    init(sorted places: [UInt64] = []) { self.places = places }

    var count: Int { places.count }
    var first: UInt64? { places.first }

    mutating func insert(_ place: UInt64) {
        var index = places.count
        places.append(place)
        while index > 0 {
            let above = (index - 1) / 2
            if places[above] <= place { break }
            places[index] = places[above]
            index = above
        }
        places[index] = place
    }

    @discardableResult
    mutating func removeFirst() -> UInt64? {
        guard let first = places.first, let last = places.popLast() else { return nil }
        if places.isEmpty { return first }
        var index = 0
        while true {
            var below = 2 * index + 1
            if below >= places.count { break }
            if below + 1 < places.count, places[below + 1] < places[below] { below += 1 }
            if last <= places[below] { break }
            places[index] = places[below]
            index = below
        }
        places[index] = last
        return first
    }
}
