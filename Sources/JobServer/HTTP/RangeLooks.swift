import Synchronization

/// The ranges of backfills that are looked through.
final class RangeLooks: Sendable {
    /// The maximum number of ranges that are looked through at once.
    static let countMax = 4

    private let places = Mutex(SharedPlaces<StreamOwner>(countMax))

    /// Begins to look through another one.
    /// - Throws: when there are as many as there may be.
    func begin(for owner: StreamOwner) throws(Problem) {
        switch places.withLock({ $0.take(owner) }) {
        case nil: break
        case .full:
            throw Problem(
                .overloaded,
                "The ranges of \(Self.countMax) backfills are being looked through. Nothing is wrong with the request."
            )
        case .share(let own):
            throw Problem(
                .clientLimited,
                "\(own) ranges of your backfills are being looked through, half of what others leave. Send the next "
                    + "when one is answered.")
        }
    }

    func end(for owner: StreamOwner) { places.withLock { $0.giveBack(owner) } }
}
