internal import Synchronization

/// Hands the events of one operation to its observers, one at a time and in order, whoever raises them.
final class EventFeed: Sendable {
    private struct Feed {
        var observers: [any AOperationObserver]
        var pending: [AOperationEvent] = []
        var isDelivering = false
        var sequence = 0
        var last: AOperationEvent?
    }

    private let feed: Mutex<Feed>

    init(observers: [any AOperationObserver]) { feed = Mutex(Feed(observers: observers)) }

    var observers: [any AOperationObserver] { feed.withLock { $0.observers } }

    /// Adds an observer; when the operation is already finished it gets that event at once.
    func add(_ observer: any AOperationObserver, of core: OperationCore) {
        let last = feed.withLock { feed -> AOperationEvent? in
            if feed.last == nil { feed.observers.append(observer) }
            return feed.last
        }
        if let last { observer.operation(core.info, did: last) }
    }

    /// Raises an event. Returns when it was handed over, or left to whoever is handing events over just now. Where
    /// nobody observes, nothing is made of it but the last event. What work that was left behind says after that is
    /// not heard.
    func raise(_ kind: () -> AOperationEvent.Kind, of core: OperationCore, isLast: Bool) {
        guard isLast || isObserved(orSkip: true) else { return }
        let kind = kind()
        let delivers = feed.withLock { feed -> Bool in
            guard feed.last == nil else { return false }
            feed.sequence += 1
            let event = AOperationEvent(
                sequence: feed.sequence, at: core.environment.clock.now, kind: kind)
            if isLast { feed.last = event }
            guard !feed.observers.isEmpty else { return false }
            feed.pending.append(event)
            if feed.isDelivering { return false }
            feed.isDelivering = true
            return true
        }
        if delivers { deliver(core.info) }
    }

    /// Whether anybody observes.
    /// - Parameter skips: whether an event that nobody sees counts.
    func isObserved(orSkip skips: Bool = false) -> Bool {
        feed.withLock { feed in
            if feed.observers.isEmpty, skips { feed.sequence += 1 }
            return !feed.observers.isEmpty
        }
    }

    private func deliver(_ info: AOperationInfo) {
        while let (event, observers) = next() {
            for observer in observers { observer.operation(info, did: event) }
        }
    }

    private func next() -> (AOperationEvent, [any AOperationObserver])? {
        feed.withLock { feed in
            guard !feed.pending.isEmpty else {
                feed.isDelivering = false
                return nil
            }
            return (feed.pending.removeFirst(), feed.observers)
        }
    }
}

extension OperationCore {
    /// Tells the observers. What is expensive to make is made only when there are any.
    func raise(_ kind: @autoclosure () -> AOperationEvent.Kind) { feed.raise(kind, of: self, isLast: false) }

    /// Tells the observers that it is over; those that come later hear it, too.
    func raiseFinished(_ ending: OperationEnding) {
        feed.raise({ .finished(ending) }, of: self, isLast: true)
    }

    /// Tells the observers which of these are to be waited for.
    func raiseWaiting(for edges: [AOperationSettings.Edge]) {
        guard !edges.isEmpty, feed.isObserved() else { return }
        let names = edges.filter { $0.core.ending == nil }.map(\.core.name)
        if !names.isEmpty { raise(.waiting(.dependencies(names))) }
    }

    /// When its execution began, while it goes on.
    var executingSince: Timestamp? {
        parts.withLock { $0.life.state == .executing ? $0.life.since : nil }
    }

    /// Tells the observers that they were attached. Once, before the first event.
    func attachObservers() {
        let observers = feed.observers
        guard !observers.isEmpty else { return }
        let info = info
        for observer in observers { observer.attached(to: info) }
    }

    /// Lets the observers of `parent` say who observes this one.
    func inheritObservers(from parent: OperationCore) {
        let observers = parent.feed.observers
        guard !observers.isEmpty else { return }
        let (info, parentInfo) = (info, parent.info)
        for observer in observers {
            guard let own = observer.observer(ofChild: info, of: parentInfo) else { continue }
            feed.add(own, of: self)
        }
        parent.raise(.produced(info))
    }

    /// Adds an observer from outside.
    func addObserver(_ observer: any AOperationObserver) {
        observer.attached(to: info)
        feed.add(observer, of: self)
    }
}
