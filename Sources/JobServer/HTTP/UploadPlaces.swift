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

/// Places for answers that wait.
final class WaitPlaces: Sendable {
    /// A place that is taken as long as this is kept, whether the answer comes or its client goes.
    final class Place: Sendable {
        private let places: WaitPlaces

        fileprivate init(_ places: WaitPlaces) { self.places = places }

        deinit { places.taken.wrappingSubtract(1, ordering: .relaxed) }
    }

    /// The most answers to hooks that wait for the ends of jobs.
    private static let most = 200

    private let taken = Atomic(0)

    /// Takes a place; nil when there is none.
    func take() -> Place? {
        taken.wrappingAdd(1, ordering: .relaxed)
        let place = Place(self)
        return taken.load(ordering: .relaxed) <= Self.most ? place : nil
    }
}
