internal import JobKit
internal import JobStore
internal import StrictJSON

// DESIGN
// One update is in flight at a time, and entries noted meanwhile go with the next, so that a refused update leaves no
// gap in the journal. Unsent entries go with the last update, which ends or suspends the run, and so does an update
// that was in flight then and was refused.
//
// An update that the store refuses temporarily is retried later, before anything newer, and its waiters keep waiting.
// When the store refuses one for good, the outbox is lost: it accepts no more entries, and its waiters wait until it is
// closed.

/// The entries that a run has noted and the store has not taken, as a state machine: an event goes in, actions come
/// out. A `Waiter` waits until something is stored.
struct JournalOutbox<Waiter: Sendable> {
    private enum Phase {
        case open
        /// The store has refused an update for good.
        case lost
        case closed
    }

    private enum Delivery {
        case idle
        case inFlight(RunUpdate)
        /// The store has refused it temporarily.
        case resting(RunUpdate)
        /// It was refused after the outbox was closed, and goes with the last update.
        case refused(RunUpdate)
    }

    /// The actions that follow from an event.
    struct Actions {
        /// The update to send to the store.
        var send: RunUpdate?
        /// The waiters to wake; `isStored` says whether everything that they waited for is stored.
        var wake: [Waiter] = []
        var isStored = true
        /// Whether to call `retry` later.
        var retriesLater = false
        /// Whether to tell the run that its claim is lost.
        var isLost = false
        /// The last update, with everything that was not stored, to be handed over.
        var last: RunUpdate?
    }

    private let claim: ClaimKey
    private var phase = Phase.open
    private var delivery = Delivery.idle
    private(set) var unsent: [JournalEntry] = []
    private var taken: [ExclusiveHold] = []
    private var freed: [String] = []
    /// Whether entries noted meanwhile are sent as soon as the update in flight is stored.
    private var sendsMore = false
    /// The number of updates sent.
    private var sent = 0
    /// The waiters, with the number of the update after which each is woken.
    private var waiters: [(number: Int, waiter: Waiter)] = []
    /// The last update, while another one is in flight.
    private var last: RunUpdate?

    init(for claim: ClaimKey) {
        self.claim = claim
        unsent.reserveCapacity(4)
    }

    /// Whether entries are accepted.
    var isOpen: Bool { phase == .open }

    /// - Returns: false when the outbox is closed or lost.
    mutating func note(_ entry: JournalEntry) -> Bool {
        guard isOpen else { return false }
        unsent.append(entry)
        return true
    }

    /// Notes exclusive keys that were taken or released.
    mutating func note(taken holds: [ExclusiveHold], freed keys: Set<ByteKey>) {
        guard isOpen else { return }
        taken += holds
        for key in keys {
            // A key that was taken and not sent yet need not be sent.
            let count = taken.count
            taken.removeAll { $0.key.hasSameBytes(as: key.text) }
            if taken.count == count { freed.append(key.text) }
        }
    }

    /// Sends the noted entries, at once or after the update in flight.
    /// - Parameter waiter: woken when all of them are stored, or never will be.
    mutating func send(waking waiter: Waiter?) -> Actions {
        var actions = Actions()
        let isEmpty = unsent.isEmpty && taken.isEmpty && freed.isEmpty
        switch (phase, delivery) {
        case (.closed, _):
            actions.wake = waiter.map { [$0] } ?? []
            actions.isStored = false
        case (.lost, _): if let waiter { waiters.append((.max, waiter)) }
        case (.open, .idle) where isEmpty: actions.wake = waiter.map { [$0] } ?? []
        case (.open, .idle):
            if let waiter { waiters.append((sent + 1, waiter)) }
            actions.send = takeOff()
        case (.open, _):
            if let waiter { waiters.append((sent + (isEmpty ? 0 : 1), waiter)) }
            if !isEmpty { sendsMore = true }
        }
        return actions
    }

    /// The store has taken the update in flight.
    /// - Parameter rest: the remainder of an update that is sent in pieces.
    mutating func delivered(rest: RunUpdate?) -> Actions {
        var actions = Actions()
        if let rest {
            delivery = .inFlight(rest)
            actions.send = rest
            return actions
        }
        delivery = .idle
        actions.wake = waiters.filter { $0.number <= sent }.map(\.waiter)
        waiters.removeAll { $0.number <= sent }
        if sendsMore && isOpen { actions.send = takeOff() }
        actions.last = last
        last = nil
        return actions
    }

    /// The store has refused the update in flight.
    /// - Parameter isTemporary: whether the store may take it later.
    mutating func refused(isTemporary: Bool) -> Actions {
        var actions = Actions()
        guard case .inFlight(let update) = delivery else { return actions }
        delivery = .idle
        switch phase {
        case .open where isTemporary:
            delivery = .resting(update)
            actions.retriesLater = true
        case .open:
            phase = .lost
            actions.isLost = true
        case .lost: break
        case .closed:
            actions.last = last.map { Self.join(update, $0) }
            if last == nil { delivery = .refused(update) }
            last = nil
        }
        return actions
    }

    /// Sends the refused update again.
    mutating func retry() -> Actions {
        var actions = Actions()
        guard isOpen, case .resting(let update) = delivery else { return actions }
        delivery = .inFlight(update)
        actions.send = update
        return actions
    }

    /// Closes the outbox.
    /// - Returns: the unsent entries and the waiters to wake; nil when it was closed or lost before.
    mutating func close() -> (update: RunUpdate, waiters: [Waiter])? {
        guard isOpen else { return nil }
        return (takeUnsent(), end())
    }

    /// Closes the outbox after the store has refused an update for good.
    /// - Returns: the waiters to wake; nil when it was closed before.
    mutating func closeLost() -> [Waiter]? { phase == .lost ? end() : nil }

    /// Closes the outbox of a claim that is lost: what was not stored never will be.
    /// - Returns: the waiters to wake; nil when it was closed before.
    mutating func drop() -> [Waiter]? { phase == .closed ? nil : end() }

    /// Hands over the last update as soon as nothing is in flight, together with everything that was not stored. Called
    /// once, after the outbox was closed.
    mutating func finish(with update: RunUpdate) -> Actions {
        var actions = Actions()
        switch delivery {
        case .inFlight: last = update
        case .idle: actions.last = update
        case .resting(let earlier), .refused(let earlier): actions.last = Self.join(earlier, update)
        }
        if actions.last != nil { delivery = .idle }
        return actions
    }

    private mutating func end() -> [Waiter] {
        phase = .closed
        defer { waiters = [] }
        return waiters.map(\.waiter)
    }

    private mutating func takeOff() -> RunUpdate {
        let update = takeUnsent()
        sent += 1
        delivery = .inFlight(update)
        sendsMore = false
        return update
    }

    private mutating func takeUnsent() -> RunUpdate {
        var update = RunUpdate(claim: claim, journal: unsent)
        update.taken = taken
        update.freed = freed
        unsent = []
        taken = []
        freed = []
        return update
    }

    private static func join(_ earlier: RunUpdate, _ last: RunUpdate) -> RunUpdate {
        var all = last
        all.journal = earlier.journal + last.journal
        let freed = Set(last.freed.map { ByteKey($0) })
        all.taken = earlier.taken.filter { !freed.contains(ByteKey($0.key)) } + last.taken
        all.freed = earlier.freed + last.freed
        return all
    }
}
