import EventIO
import JobStore
import Synchronization

// DESIGN
// Commits go into a ring that all streams read at their own pace: a stream is a position in it, so a slow reader
// holds up nothing and takes no memory, and one that falls behind the ring is told to read the list again. The writer
// thread only appends and rings a bell for each loop; the bell wakes that loop's streams together, and they share what
// they read and its text.
//
// An id is the life of the server and a number. After a restart, or when no stream was open for a while, a client that
// continues from an older id is told to read the list again as well.

/// The reader of event streams and of long answers, as the unit of fair sharing.
enum StreamOwner: Hashable, Sendable {
    /// All tokens of a tenant share.
    case tenant(Tenant)
    case client(Client)
}

/// The changes of all jobs, for event streams.
final class ChangeFeed: Sendable {
    /// The maximum number of open streams.
    static let streamsMax = 1_000
    /// The time for which changes are recorded after the last stream has ended, for clients that reconnect.
    static let keptFor: Duration = .seconds(60)

    private struct State {
        var ring = ChangeRing()
        var bells: [ObjectIdentifier: StreamBell] = [:]
        var streams = SharedPlaces<StreamOwner>(streamsMax)
        var lastEnd = ContinuousClock.now
        var isClosed = false
    }

    /// The outcome of an attempt to open a stream.
    enum Opening {
        case opened(StreamBell)
        /// Too many are open.
        case full
        /// The owner has `count`, which is its share.
        case limited(count: Int)
        /// The server stops.
        case closed
    }

    private let state = Mutex(State())
    private let isRecording = Atomic(false)
    private let life: String
    private let veil = NumberVeil()

    /// - Parameter life: a name for this life of the server, without `-`.
    init(life: String) { self.life = life }

    var streamCount: Int { state.withLock { $0.streams.taken } }

    /// Records the changes of one commit. From any thread.
    func observe(_ changes: [JobChange]) {
        guard isRecording.load(ordering: .relaxed) else { return }
        let bells = state.withLock { state -> [StreamBell] in
            if state.streams.taken == 0, state.lastEnd.duration(to: .now) > Self.keptFor {
                isRecording.store(false, ordering: .relaxed)
                state.ring.reset()
                return []
            }
            for change in changes where !change.hasOnlyEntries && !change.isOutdated {
                state.ring.append(change)
            }
            return state.streams.taken == 0 ? [] : Array(state.bells.values)
        }
        for bell in bells { bell.ring() }
    }

    /// Tells all streams that changes are missing. From any thread.
    func skip() {
        let bells = state.withLock { state in
            state.ring.reset()
            return Array(state.bells.values)
        }
        for bell in bells { bell.ring() }
    }

    /// Counts a new stream, which must call `leave` at its end. On `loop`.
    func enter(on loop: EventLoop, for owner: StreamOwner) -> Opening {
        state.withLock { state in
            if state.isClosed { return .closed }
            switch state.streams.take(owner) {
            case nil: break
            case .full: return .full
            case .share(let own): return .limited(count: own)
            }
            isRecording.store(true, ordering: .relaxed)
            let key = ObjectIdentifier(loop)
            let bell = state.bells[key] ?? StreamBell(loop: loop)
            state.bells[key] = bell
            return .opened(bell)
        }
    }

    func leave(_ owner: StreamOwner) {
        state.withLock { state in
            state.streams.giveBack(owner)
            state.lastEnd = .now
        }
    }

    /// Ends all streams, when the server stops. From any thread.
    func close() {
        let bells = state.withLock { state in
            state.isClosed = true
            return Array(state.bells.values)
        }
        for bell in bells { bell.ring() }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The number of the next change.
    var next: UInt64 { state.withLock { $0.ring.next } }

    /// The changes from `number` on; nil when some of them are not kept any more.
    func changes(from number: UInt64) -> [JobChange]? {
        state.withLock { $0.ring.changes(from: number) }
    }

    /// The id of the change with this number. Those of a tenant do not tell how many changes others have made.
    func id(_ number: UInt64, for tenant: Tenant?) -> String {
        "\(life)-\(tenant == nil ? number : veil.hidden(number))"
    }

    /// The number in an id of this life; nil for any other id.
    func number(in id: String, for tenant: Tenant?) -> UInt64? {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == life, let number = UInt64(parts[1]) else { return nil }
        return tenant == nil ? number : veil.number(number)
    }
}
