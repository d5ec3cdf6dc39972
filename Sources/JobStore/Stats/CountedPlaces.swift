internal import JobKit
internal import StrictJSON

/// The tenants and minutes of the ends that one transaction counts: it writes bins for each of them.
package struct CountedPlaces {
    private struct Place: Hashable {
        var tenant: ByteKey
        var minute: Timestamp

        init(_ end: EndFacts) {
            tenant = ByteKey(end.tenant)
            minute = StatsStep.minute.start(of: end.at)
        }
    }

    private var places: Set<Place> = []
    /// The most of them in one transaction.
    package static let most = 50
    /// The most bins of one transaction.
    static let binsMax = most * StatsStep.allCases.count * StatsFacet.allCases.count

    package init() {}

    package var isFull: Bool { places.count >= Self.most }

    /// Notes the place of an end; false when there is no room for it.
    package mutating func take(_ end: EndFacts) -> Bool {
        let place = Place(end)
        if isFull { return places.contains(place) }
        places.insert(place)
        return true
    }

    /// Notes the places of ends that are taken together.
    package mutating func take(all ends: [EndFacts]) {
        for end in ends { places.insert(Place(end)) }
    }
}
