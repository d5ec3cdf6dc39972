/// Told what happens to an operation, one event after the other, in order. What it does never changes the operation's
/// outcome; it may ask the operation to stop.
///
/// Observers are told in the order in which they were added, the delegate first.
public protocol AOperationObserver: Sendable {
    /// Something happened. Called one at a time per operation; must not block.
    func operation(_ operation: AOperationInfo, did event: AOperationEvent)

    /// It was attached: before the first event when it was added to a recipe, later when it was added to a handle.
    /// Default: nothing.
    func attached(to operation: AOperationInfo)

    /// Who observes `child`, a member of the group or something else that the operation brought about; nil is nobody.
    /// Called before the first event of the child. Default nobody.
    func observer(ofChild child: AOperationInfo, of parent: AOperationInfo) -> (any AOperationObserver)?
}

extension AOperationObserver {
    /// Nothing.
    public func attached(to operation: AOperationInfo) {}
    /// Nobody.
    public func observer(ofChild child: AOperationInfo, of parent: AOperationInfo) -> (
        any AOperationObserver
    )? {
        nil
    }
}

/// Which operation an event is about, and what may be asked of it.
public struct AOperationInfo: Sendable, Identifiable {
    /// Tells it from all others that are not finished.
    public let id: ObjectIdentifier
    /// What it is called.
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

    /// Where it stands; `finished` when it is gone.
    public var state: OperationState { core?.state ?? .finished }

    /// Asks it to stop, like the handle does. After its outcome is decided this changes nothing.
    public func cancel(reason: String? = nil) { core?.cancel(code: .cancelledUser, reason: reason) }

    /// Adds an observer, which gets all further events; a finished operation gives it the last one at once.
    public func observe(_ observer: any AOperationObserver) {
        if let core { core.feed.attach(observer, to: core) }
    }
}
