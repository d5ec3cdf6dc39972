internal import Synchronization

/// The prerequisites of the conditions of one operation, with their endings.
final class NeededEndings: Sendable {
    private let endings = Mutex<[ConditionContext.Dependency]>([])

    var all: [ConditionContext.Dependency] { endings.withLock { $0 } }

    func add(_ more: [ConditionContext.Dependency]) { endings.withLock { $0 += more } }
}
