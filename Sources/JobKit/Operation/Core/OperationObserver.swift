/// Told about the events of an operation, one after the other, in order. An observer never changes the operation's
/// outcome; it may request a cancellation.
///
/// Observers are told in the order in which they were added, the delegate first.
public protocol OperationObserver: Sendable {
    /// Something happened. Called one at a time per operation; must not block.
    func operation(_ operation: OperationInfo, did event: OperationEvent)

    /// The observer was attached: before the first event when it was added to a recipe, later when it was added to a
    /// handle. Default: nothing.
    func attached(to operation: OperationInfo)

    /// The observer of `child`, a member of the group or another operation created by `parent`; nil for none. Called
    /// before the first event of the child. Default nil.
    func observer(ofChild child: OperationInfo, of parent: OperationInfo) -> (any OperationObserver)?
}

extension OperationObserver {
    /// Does nothing.
    public func attached(to operation: OperationInfo) {}
    /// None.
    public func observer(ofChild child: OperationInfo, of parent: OperationInfo) -> (
        any OperationObserver
    )? {
        nil
    }
}

/// The operation of an event, with its state and a way to cancel it.
public struct OperationInfo: Sendable, Identifiable {
    /// Unique among all unfinished operations.
    public let id: ObjectIdentifier
    /// The display name.
    public let name: String
    /// The names from below the root down to it.
    public let path: [String]
    weak let core: OperationCore?

    init(_ core: OperationCore) {
        id = ObjectIdentifier(core)
        name = core.name
        path = core.path
        self.core = core
    }

    /// The state; `finished` when the operation no longer exists.
    public var state: OperationState { core?.state ?? .finished }

    /// Requests a cancellation, like the handle does. After its outcome is decided this has no effect.
    public func cancel(reason: String? = nil) { core?.cancel(code: .cancelledUser, reason: reason) }

    /// Adds an observer, which gets all further events; a finished operation gives it the last one at once.
    public func observe(_ observer: any OperationObserver) {
        if let core { core.feed.attach(observer, to: core) }
    }
}
