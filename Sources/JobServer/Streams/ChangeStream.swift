import EventIO
import HTTPMessage
import JobKit
import JobStore
import StrictJSON
import Synchronization

/// An event stream of the changes of all jobs that match a filter.
final class ChangeStream: HTTPBodySource {
    /// The longest time without an event.
    static let silence: Duration = .seconds(15)

    private struct Place {
        /// The number of the next change to report.
        var next: UInt64
        var isBegun = false
        /// Whether the client continues from an id whose successors are not kept.
        var isLost: Bool
        var sentAt = ContinuousClock.now
        /// Whether this round was used.
        var hasSent = false
        /// Whether the permission of the request has ended.
        var isRefused = false
        var isOver = false
    }

    private let feed: ChangeFeed
    private let owner: StreamOwner
    private let bell: StreamBell
    private let filter: ChangeFilter
    private let access: OpenAccess?
    private let place: Mutex<Place>

    /// - Parameters:
    ///   - bell: from `ChangeFeed.enter`, for which the stream calls `leave`.
    ///   - owner: the one that entered.
    ///   - last: the id of the last event that the client has seen.
    ///   - access: the permission with which the stream ends; nil lasts.
    init(
        _ feed: ChangeFeed, _ bell: StreamBell, for owner: StreamOwner, _ filter: ChangeFilter,
        after last: String?, access: OpenAccess? = nil
    ) {
        self.feed = feed
        self.owner = owner
        self.bell = bell
        self.filter = filter
        self.access = access
        var next = feed.next
        var isLost = false
        if let last {
            let number = feed.number(in: last, for: filter.query.tenant)
            if let number, number < next, feed.changes(from: number + 1) != nil {
                next = number + 1
            } else {
                isLost = true
            }
        }
        place = Mutex(Place(next: next, isLost: isLost))
        access?.watch { [weak self] in self?.refuse() }
    }

    func next() async -> [UInt8]? {
        if let first = begin() { return first }
        while true {
            // One piece a round, so that streams cannot take more than their share of the loop.
            if place.withLock({ $0.hasSent && !$0.isRefused }) { await bell.wait(ObjectIdentifier(self)) }
            if feed.isClosed { end() }
            let place = place.withLock { place in
                place.hasSent = true
                return place
            }
            if place.isOver { return nil }
            if place.isRefused, let access {
                end()
                var text = StreamText()
                text.refused(access.problem, id: id(place.next - 1))
                return text.bytes
            }
            if let text = advance(from: place) { return text }
        }
    }

    func cancel() { end() }

    /// The head of the stream: the pause for reconnecting, and an id to continue from.
    private func begin() -> [UInt8]? {
        let place = place.withLock { place -> Place? in
            defer { place.isBegun = true }
            return place.isBegun ? nil : place
        }
        guard let place else { return nil }
        var text = StreamText()
        text.retry()
        if place.isLost {
            reset(&text, at: place.next)
        } else {
            text.bookmark(id: id(place.next - 1))
        }
        return text.bytes
    }

    /// Tells the client that changes are missing.
    private func reset(_ text: inout StreamText, at next: UInt64) {
        text.event("reset", id: id(next - 1)) { json in
            json.beginObject()
            json.member("detail", "Changes are missing here. Read the list, then go on with this stream.")
            json.endObject()
        }
    }

    /// The text of the changes since `place`, or a bookmark after a long silence; nil when there is nothing to send.
    private func advance(from place: Place) -> [UInt8]? {
        var (next, text, bytes) = (place.next, StreamText(), [UInt8]())
        let found = bell.piece(from: next, for: filter) {
            feed.changes(from: next)
        } text: {
            Self.text(of: $0.changes, from: $0.from, filter, feed)
        }
        if let found {
            next += UInt64(found.piece.changes.count)
            bytes = found.text
        } else {
            next = feed.next
            reset(&text, at: next)
            bytes = text.bytes
        }
        let now = ContinuousClock.now
        if bytes.isEmpty, place.sentAt.duration(to: now) >= Self.silence {
            text.bookmark(id: id(next - 1))
            bytes = text.bytes
        }
        self.place.withLock { place in
            place.next = next
            if !bytes.isEmpty { place.sentAt = now }
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// The latest of the changes of each job, of those that match.
    private static func text(
        of changes: [JobChange], from first: UInt64, _ filter: ChangeFilter, _ feed: ChangeFeed
    ) -> [UInt8] {
        var seen: Set<JobID> = []
        var latest: [Int] = []
        for index in changes.indices.reversed() where filter.matches(changes[index]) {
            if seen.insert(changes[index].id).inserted { latest.append(index) }
        }
        var text = StreamText()
        for index in latest.reversed() {
            var change = changes[index]
            if let tenant = filter.query.tenant { change.queue = tenant.shown(change.queue) }
            text.change(change, id: feed.id(first + UInt64(index), for: filter.query.tenant))
        }
        return text.bytes
    }

    private func id(_ number: UInt64) -> String { feed.id(number, for: filter.query.tenant) }

    /// Ends the stream at once, with an event that says why.
    private func refuse() {
        place.withLock { $0.isRefused = true }
        bell.wake(ObjectIdentifier(self))
    }

    private func end() {
        let isFirst = place.withLock { place in
            defer { place.isOver = true }
            return !place.isOver
        }
        guard isFirst else { return }
        access?.leave()
        feed.leave(owner)
    }
}
