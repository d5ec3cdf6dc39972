internal import Synchronization

/// The prerequisites of the conditions of one operation, with their endings.
final class NeededEndings: Sendable {
    private let endings = Mutex<[AConditionContext.Dependency]>([])

    var all: [AConditionContext.Dependency] { endings.withLock { $0 } }

    func add(_ more: [AConditionContext.Dependency]) { endings.withLock { $0 += more } }
}
