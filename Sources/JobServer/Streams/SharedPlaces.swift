/// Places that callers share: each may have half of those that the others leave, and one while any is free.
struct SharedPlaces<Owner: Hashable & Sendable>: Sendable {
    /// The reason why a caller gets no place.
    enum Refusal: Equatable {
        /// All are taken.
        case full
        /// The caller has its share, so many.
        case share(Int)
    }

    private(set) var taken = 0
    private let count: Int
    private var owned: [Owner: Int] = [:]

    init(_ count: Int) { self.count = count }

    /// Takes a place.
    /// - Returns: the reason why there is none; nil when it is taken.
    mutating func take(_ owner: Owner) -> Refusal? {
        guard taken < count else { return .full }
        let own = owned[owner] ?? 0
        if own > 0, own >= (count - taken + own) / 2 { return .share(own) }
        owned[owner] = own + 1
        taken += 1
        return nil
    }

    mutating func giveBack(_ owner: Owner) {
        guard let own = owned[owner] else { return }
        owned[owner] = own > 1 ? own - 1 : nil
        taken -= 1
    }
}
