import EventIO
import HTTPMessage
import JobKit
import JobRunner
import JobStore
import Synchronization

/// An event stream of the journal of one job, which ends with the job.
final class JournalStream: HTTPBodySource {
    /// The most entries that are sent in one piece.
    private static let pieceMax = 64

    /// Runs a read on another thread; false when there is no room for it.
    typealias Detour = @Sendable (_ read: @escaping @Sendable (any JobReader) -> Void) -> Bool

    private struct Place {
        /// The sequence number of the last entry that was sent.
        var last: Int64
        var isBegun = false
        /// Whether the permission of the request has ended.
        var isRefused = false
        var isOver = false
        /// The wait for the next change.
        var waiter: JobWaiter?
        var news: OneShot<JobWaiter.Ending>?
    }

    private let id: JobID
    private let base: String
    private let reader: any JobReader
    private let readElsewhere: Detour?
    private let watch: JobWatch
    private let feed: ChangeFeed
    private let owner: StreamOwner
    private let access: OpenAccess?
    private let loop: EventLoop
    private let pause: @Sendable (EventLoop) async throws -> Void
    private let place: Mutex<Place>

    /// - Parameters:
    ///   - feed: counts the stream, which calls `leave`, and says when the server stops.
    ///   - owner: the one that entered.
    ///   - reader: the point reads of `loop`.
    ///   - readElsewhere: reads instead where reads are not local.
    ///   - base: the prefix of links.
    ///   - access: the permission with which the stream ends; nil lasts.
    ///   - pause: the time between two looks while as many wait for changes as may; tests replace it.
    init(
        of id: JobID, after last: Int64, _ feed: ChangeFeed, for owner: StreamOwner, reader: any JobReader,
        readElsewhere: Detour?,
        watch: JobWatch, on loop: EventLoop, base: String, access: OpenAccess? = nil,
        pause: @escaping @Sendable (EventLoop) async throws -> Void = { try await $0.sleep(for: .seconds(1)) }
    ) {
        self.id = id
        self.base = base
        self.reader = reader
        self.readElsewhere = readElsewhere
        self.watch = watch
        self.feed = feed
        self.owner = owner
        self.access = access
        self.loop = loop
        self.pause = pause
        place = Mutex(Place(last: last))
        access?.watch { [weak self] in self?.refuse() }
    }

    func next() async throws -> [UInt8]? {
        if let first = begin() { return first }
        while !place.withLock({ $0.isOver }), !feed.isClosed {
            if let last = farewell() { return last }
            // Watched before the read, so that no change falls between.
            let news = OneShot<JobWaiter.Ending>()
            let waiter = watch.wait(
                for: id, on: loop, atMost: ChangeStream.silence, until: { _ in true },
                then: { news.fire($0) })
            let bytes: [UInt8]
            do {
                bytes = try await readBytes()
            } catch {
                watch.abandon(waiter)
                throw error
            }
            if !bytes.isEmpty {
                watch.abandon(waiter)
                return bytes
            }
            let goesOn = place.withLock { place in
                place.waiter = waiter
                place.news = news
                return !place.isOver && !place.isRefused
            }
            guard goesOn else {
                watch.abandon(waiter)
                continue
            }
            let ending = await news.wait()
            if place.withLock({ $0.isRefused }) { continue }
            // It ended at once: without a pause the streams would take the whole loop.
            if case .refused = ending { try await pause(loop) }
            if ending.change == nil, !feed.isClosed {
                var text = StreamText()
                text.bookmark(id: "\(place.withLock { $0.last })")
                return text.bytes
            }
        }
        end()
        return nil
    }

    func cancel() { end() }

    /// Ends the stream at once, with an event that says why.
    private func refuse() {
        place.withLock { $0.isRefused = true }
        stopWaiting()
    }

    /// The last event of a stream that is not permitted any more; nil while it is.
    private func farewell() -> [UInt8]? {
        let (isRefused, last) = place.withLock { ($0.isRefused, $0.last) }
        guard isRefused, let access else { return nil }
        leave()
        var text = StreamText()
        text.refused(access.problem, id: "\(last)")
        return text.bytes
    }

    private func begin() -> [UInt8]? {
        let place = place.withLock { place -> Place? in
            defer { place.isBegun = true }
            return place.isBegun ? nil : place
        }
        guard let place else { return nil }
        var text = StreamText()
        text.retry()
        text.bookmark(id: "\(place.last)")
        return text.bytes
    }

    /// The text of the next entries, or of the end; empty when there is nothing to send yet, or nothing can be read.
    private func readBytes() async throws -> [UInt8] {
        guard let readElsewhere else { return try read(reader).bytes }
        return try await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<[UInt8], any Error>, Never>) in
            let isAccepted = readElsewhere { [self] reader in
                continuation.resume(returning: Result { try read(reader).bytes })
            }
            if !isAccepted { continuation.resume(returning: .success([])) }
        }.get()
    }

    private func read(_ reader: any JobReader) throws -> StreamText {
        var (text, last) = (StreamText(), place.withLock { $0.last })
        // The job first: when it is final, the entries read afterwards are all there will be.
        guard let job = try reader.job(id) else {
            text.event("erased", id: "\(last)", json: Array("{}".utf8))
            leave()
            return text
        }
        let entries = try reader.journal(id, after: last, limit: Self.pieceMax)
        for entry in entries {
            last = entry.sequence
            text.event(id: "\(last)") { EventBody.append(entry, to: &$0) }
        }
        let isOver = job.state.isFinal && entries.count < Self.pieceMax
        if isOver {
            var body = ByteText(capacity: 1_024)
            JobBody.append(job, base: base, to: &body)
            text.event("end", id: "\(last)", json: body.bytes)
            leave()
        }
        place.withLock { $0.last = last }
        return text
    }

    /// Counts the end of the stream, once: the client may disconnect while another thread reads the end of the job.
    private func leave() {
        let isFirst = place.withLock { place in
            defer { place.isOver = true }
            return !place.isOver
        }
        guard isFirst else { return }
        access?.leave()
        feed.leave(owner)
    }

    private func end() {
        leave()
        stopWaiting()
    }

    private func stopWaiting() {
        let (waiter, news) = place.withLock { ($0.waiter, $0.news) }
        // A client that has disconnected need not wait to the end.
        if let waiter, watch.abandon(waiter) { news?.fire(.timedOut) }
    }
}
