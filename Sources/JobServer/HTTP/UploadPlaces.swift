import Synchronization

/// The uploads that are under way. Each has a file open, however slow its client is, so there is a bound on them.
final class UploadPlaces: Sendable {
    /// The maximum number. A tenant, or a client without one, may have half of what the others leave.
    static let countMax = 512

    private let places = Mutex(SharedPlaces<String>(countMax))

    /// The place of one upload, until it is released.
    final class Place: Sendable {
        private let places: UploadPlaces
        private let owner: String

        fileprivate init(_ places: UploadPlaces, _ owner: String) {
            self.places = places
            self.owner = owner
        }

        deinit { places.places.withLock { $0.giveBack(owner) } }
    }

    /// Takes a place.
    /// - Throws: `.overloaded` or `.clientLimited` when there is none.
    func take(for owner: String) throws(Problem) -> Place {
        switch places.withLock({ $0.take(owner) }) {
        case nil: return Place(self, owner)
        case .full:
            throw Problem(
                .overloaded,
                "\(Self.countMax) uploads are under way, which is the limit. Try again when some have ended.")
        case .share(let own):
            throw Problem(
                .clientLimited,
                "\(own) of your uploads are under way, half of what others leave. Send the next when one has ended."
            )
        }
    }
}
