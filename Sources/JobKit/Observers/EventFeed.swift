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

    private let info: AOperationInfo
    private let feed: Mutex<Feed>

    init(info: AOperationInfo, observers: [any AOperationObserver]) {
        self.info = info
        feed = Mutex(Feed(observers: observers))
    }

    /// Adds an observer; when the operation is already finished it gets that event at once.
    func add(_ observer: any AOperationObserver) {
        let last = feed.withLock { feed -> AOperationEvent? in
            if feed.last == nil { feed.observers.append(observer) }
            return feed.last
        }
        if let last { observer.operation(info, did: last) }
    }

    /// Raises an event. Returns when it was handed over, or left to whoever is handing events over just now.
    func raise(_ kind: AOperationEvent.Kind, at time: Timestamp) {
        let delivers = feed.withLock { feed -> Bool in
            feed.sequence += 1
            let event = AOperationEvent(sequence: feed.sequence, at: time, kind: kind)
            if case .finished = kind { feed.last = event }
            guard !feed.observers.isEmpty else { return false }
            feed.pending.append(event)
            if feed.isDelivering { return false }
            feed.isDelivering = true
            return true
        }
        if delivers { deliver() }
    }

    private func deliver() {
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
