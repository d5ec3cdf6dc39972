import Synchronization

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
