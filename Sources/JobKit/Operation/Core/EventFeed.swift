internal import Synchronization

/// Delivers the events of one operation to its observers, one at a time and in order, from whichever thread they are
/// raised.
final class EventFeed: Sendable {
    private struct Feed {
        var observers: [any OperationObserver]
        var pending: [OperationEvent] = []
        var isDelivering = false
        var sequence = 0
        var last: OperationEvent?
    }

    private let feed: Mutex<Feed>

    init(observers: [any OperationObserver]) { feed = Mutex(Feed(observers: observers)) }

    var observers: [any OperationObserver] { feed.withLock { $0.observers } }

    /// Adds an observer; when the operation is already finished it gets that event at once.
    func add(_ observer: any OperationObserver, of core: OperationCore) {
        let last = feed.withLock { feed -> OperationEvent? in
            if feed.last == nil { feed.observers.append(observer) }
            return feed.last
        }
        if let last { observer.operation(core.info, did: last) }
    }

    /// Raises an event. Returns when it was delivered, or queued for the thread that is delivering events at the
    /// moment. Without observers only the last event is created. Events of abandoned work after the last one are
    /// dropped.
    /// - Parameter isMadeInOrder: whether `kind` is called with the feed locked.
    func raise(
        _ kind: () -> OperationEvent.Kind, of core: OperationCore, isLast: Bool, isMadeInOrder: Bool = false
    ) {
        guard isLast || isObserved(orSkip: true) else { return }
        let made = isMadeInOrder ? nil : kind()
        let delivers = feed.withLock { feed -> Bool in
            guard feed.last == nil else { return false }
            feed.sequence += 1
            let event = OperationEvent(
                sequence: feed.sequence, at: core.environment.clock.now, kind: made ?? kind())
            if isLast { feed.last = event }
            guard !feed.observers.isEmpty else { return false }
            feed.pending.append(event)
            if feed.isDelivering { return false }
            feed.isDelivering = true
            return true
        }
        if delivers { deliver(core.info) }
    }

    /// Whether there is an observer.
    /// - Parameter skips: whether an unobserved event is counted.
    func isObserved(orSkip skips: Bool = false) -> Bool {
        feed.withLock { feed in
            if feed.observers.isEmpty, skips { feed.sequence += 1 }
            return !feed.observers.isEmpty
        }
    }

    private func deliver(_ info: OperationInfo) {
        while let (event, observers) = next() {
            for observer in observers { observer.operation(info, did: event) }
        }
    }

    private func next() -> (OperationEvent, [any OperationObserver])? {
        // Released when the lock is not held any more.
        var released: [any OperationObserver] = []
        defer { withExtendedLifetime(released) {} }
        return feed.withLock { feed in
            guard !feed.pending.isEmpty else {
                feed.isDelivering = false
                if feed.last != nil { swap(&released, &feed.observers) }
                return nil
            }
            return (feed.pending.removeFirst(), feed.observers)
        }
    }

    /// Tells an observer nothing more.
    func detach(_ observer: EventStreamObserver) {
        _ = feed.withLock { feed -> (any OperationObserver)? in
            let index = feed.observers.firstIndex { ($0 as? EventStreamObserver) === observer }
            return index.map { feed.observers.remove(at: $0) }
        }
    }

    // MARK: Observers

    /// Tells the observers of `core` that they were attached. Once, before the first event.
    func attach(to core: OperationCore) {
        let observers = observers
        guard !observers.isEmpty else { return }
        let info = core.info
        for observer in observers { observer.attached(to: info) }
    }

    /// Attaches an observer to `core` from outside.
    func attach(_ observer: any OperationObserver, to core: OperationCore) {
        observer.attached(to: core.info)
        add(observer, of: core)
    }

    /// Attaches the observers that those of `parent` name for `core`.
    func inherit(by core: OperationCore, from parent: OperationCore) {
        let observers = parent.feed.observers
        guard !observers.isEmpty else { return }
        let (info, parentInfo) = (core.info, parent.info)
        for observer in observers {
            guard let own = observer.observer(ofChild: info, of: parentInfo) else { continue }
            add(own, of: core)
        }
        parent.raise(.produced(info))
    }
}

extension OperationCore {
    /// Tells the observers. The event is created only when there are any.
    func raise(_ kind: @autoclosure () -> OperationEvent.Kind) { feed.raise(kind, of: self, isLast: false) }
}
