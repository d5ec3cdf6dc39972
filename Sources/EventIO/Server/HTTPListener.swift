import CEvent
import Glibc
import HTTPMessage
import Synchronization

// DESIGN
// A listener owns one listening socket and the connections accepted from it, all on one loop. Several loops share a
// port by having a listener each (SO_REUSEPORT). It wakes when a client connects, when a connection is readable or
// writable, and on a tick while there are connections: the tick checks every connection's timeouts, so that a request
// costs no timer. `stopAccepting` ends the accepting, `drain` and `close` end everything.

/// Accepts HTTP/1.1 connections on a loop and hands their requests to a service.
///
/// It accepts from its creation on (once the loop runs) and lives until `close` or `drain`, retained or not.
// Safe because everything but the atomic count belongs to the loop, to which other threads hop.
@safe
package final class HTTPListener: @unchecked Sendable {
    package let loop: EventLoop
    package let port: Int
    package let limits: ListenerLimits

    let service: any HTTPService
    /// The limits of parsers: those of `limits`, except for bodies, whose size the service decides.
    let parserLimits: HTTPParserLimits
    private var tls: TLSServerContext?
    private let count = Atomic<Int>(0)
    let census: ConnectionCensus

    private var descriptor: CInt
    private var watcher: DescriptorWatcher?
    private var acceptTimer: LoopTimer?
    private var tickTimer: LoopTimer?
    private var isTicking = false
    /// Whether the last accept failed for lack of descriptors.
    private var isExhausted = false
    private var exhaustedAt: Int64 = 0
    /// The time in nanoseconds after which the shortage is considered over.
    private static let recoveryTime: Int64 = 1_000_000_000
    private var reserve: CInt
    private var drainTimer: LoopTimer?
    private var drainWaiters: [CheckedContinuation<Void, Never>] = []

    private var connections: [HTTPConnection?] = []
    private var freeSlots: [Int] = []

    /// The memory of unfinished request bodies on all connections.
    var bodies: BodyMemory
    /// Monotonic nanoseconds, as of the last tick.
    private(set) var now: Int64 = 0
    /// The Date field with its line end, as of the last tick.
    private(set) var dateLine: [UInt8] = []
    private var dateSeconds = 0
    /// Whether connections close after the answers due.
    private(set) var isDraining = false
    /// The read buffer that all connections share.
    let readBuffer: UnsafeMutableRawBufferPointer

    private static let readBufferBytes = 64 << 10
    private static let acceptsPerTurnMax = 64

    /// Opens the socket and begins to accept.
    ///
    /// - Parameters:
    ///   - loop: the loop of the connections; may be started later.
    ///   - address: the address to listen on.
    ///   - reusePort: whether other listeners share the port, each on its loop.
    ///   - tls: enables TLS.
    ///   - limits: sizes, counts and timeouts.
    ///   - census: counts the connections together with those of other listeners; nil counts these alone.
    ///   - service: answers the requests.
    /// - Throws: the reason why the socket cannot be opened.
    package init(
        loop: EventLoop, address: ListenAddress, reusePort: Bool = false, tls: TLSServerContext? = nil,
        limits: ListenerLimits = ListenerLimits(), census: ConnectionCensus? = nil, service: any HTTPService
    ) throws(EventIOError) {
        self.loop = loop
        self.limits = limits
        self.service = service
        self.census = census ?? ConnectionCensus(connectionsMax: limits.connectionsMax)
        bodies = BodyMemory(bytesMax: limits.bodyBytesTotalMax)
        var parserLimits = limits.parser
        parserLimits.bodyBytesMax = .max
        self.parserLimits = parserLimits
        self.tls = tls
        descriptor = try address.open(sharesPort: reusePort, backlog: limits.backlog)
        port = boundPort(descriptor)
        reserve = HTTPListener.openReserve()
        unsafe readBuffer = .allocate(byteCount: HTTPListener.readBufferBytes, alignment: 64)
        loop.onLoop { self.begin() }
    }

    deinit {
        unsafe readBuffer.deallocate()
        if reserve >= 0 { Glibc.close(reserve) }
    }

    /// The number of connections. From any thread; it may have changed when it is read.
    package var connectionCount: Int { count.load(ordering: .relaxed) }

    /// Replaces the certificate from the next connection on. From any thread.
    package func use(_ tls: TLSServerContext) {
        loop.onLoop { self.tls = tls }
    }

    // MARK: Ending

    /// Closes the listening socket; connections continue. From any thread.
    package func stopAccepting() {
        loop.onLoop { self.endAccepting() }
    }

    /// Stops accepting, closes idle connections, and waits until the others have had their answers (with `Connection:
    /// close`), at most `limit`; the remaining ones are reset.
    package func drain(within limit: Duration) async {
        await withCheckedContinuation { waiter in
            loop.onLoop { self.beginDraining(within: limit, waiter) }
        }
    }

    /// Closes the listening socket and resets all connections. From any thread.
    package func close() {
        loop.onLoop {
            self.endAccepting()
            for connection in self.connections { connection?.abort() }
        }
    }

    private func beginDraining(within limit: Duration, _ waiter: CheckedContinuation<Void, Never>) {
        endAccepting()
        isDraining = true
        for connection in connections { connection?.closeIfIdle() }
        guard connectionCount > 0 else {
            waiter.resume()
            return
        }
        drainWaiters.append(waiter)
        drainTimer = LoopTimer(loop: loop) { [weak self] in self?.close() }
        drainTimer?.schedule(after: limit)
    }

    private func endDraining() {
        guard connectionCount == 0, !drainWaiters.isEmpty else { return }
        drainTimer = nil
        for waiter in drainWaiters { waiter.resume() }
        drainWaiters = []
    }

    private func endAccepting() {
        guard descriptor >= 0 else { return }
        acceptTimer = nil
        watcher?.cancel()
        watcher = nil
        Glibc.close(descriptor)
        descriptor = -1
    }

    // MARK: Accepting

    private func begin() {
        guard descriptor >= 0 else { return }
        let watcher = DescriptorWatcher(loop: loop, descriptor: descriptor) { _ in self.acceptSome() }
        watcher.watch(.read)
        self.watcher = watcher
    }

    private func acceptSome() {
        for _ in 0..<HTTPListener.acceptsPerTurnMax {
            guard descriptor >= 0 else { return }
            if census.isBeyond(limits.refusedConnectionsMax) {
                pauseAccepting()
                return
            }
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let flags = CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            let accepted = unsafe withUnsafeMutableBytes(of: &storage) { raw in
                let address = unsafe raw.baseAddress?.assumingMemoryBound(to: sockaddr.self)
                return unsafe accept4(descriptor, address, &length, flags)
            }
            guard accepted >= 0 else {
                if !copeWithAcceptError(errno) { return }
                continue
            }
            if isExhausted { noteRecovery() }
            let peer = PeerAddress(storage) ?? PeerAddress(address: IPAddress(v4: 0), port: 0)
            open(accepted, from: peer)
        }
    }

    /// Handles a failed accept. Returns whether accepting continues at once.
    private func copeWithAcceptError(_ number: CInt) -> Bool {
        switch number {
        case EAGAIN:
            return false
        case EMFILE, ENFILE:
            noteExhaustion()
            // Use the reserve descriptor to accept and close the first client in the queue, which would otherwise be
            // reported again and again.
            if reserve >= 0 {
                Glibc.close(reserve)
                let victim = accept4(descriptor, nil, nil, 0)
                if victim >= 0 { Glibc.close(victim) }
                reserve = HTTPListener.openReserve()
            }
            pauseAccepting()
            return false
        case ENOBUFS, ENOMEM:
            pauseAccepting()
            return false
        default:
            // The client or its network disconnected: try the next one.
            return true
        }
    }

    /// Tells the service once when descriptors run out, and once when they have been available again for a while.
    private func noteExhaustion() {
        readClocks()
        exhaustedAt = now
        guard !isExhausted else { return }
        isExhausted = true
        service.outOfDescriptors(true)
    }

    private func noteRecovery() {
        readClocks()
        guard now - exhaustedAt > Self.recoveryTime else { return }
        isExhausted = false
        service.outOfDescriptors(false)
    }

    private func pauseAccepting() {
        watcher?.watch([])
        let timer = acceptTimer ?? LoopTimer(loop: loop) { [weak self] in self?.resumeAccepting() }
        acceptTimer = timer
        timer.schedule(after: limits.acceptPause)
    }

    private func resumeAccepting() {
        watcher?.watch(.read)
    }

    private static func openReserve() -> CInt {
        unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    // MARK: Connections

    private func open(_ accepted: CInt, from peer: PeerAddress) {
        setOption(accepted, CInt(IPPROTO_TCP), TCP_NODELAY)
        let session = tls?.makeSession(descriptor: accepted)
        if tls != nil && session == nil {
            Glibc.close(accepted)
            return
        }
        if !isTicking { beginTicking() }
        let socket = ConnectionSocket(descriptor: accepted, tls: session)
        let slot = freeSlots.popLast() ?? connections.count
        let connection = HTTPConnection(listener: self, socket: socket, peer: peer, slot: slot)
        if slot == connections.count {
            connections.append(connection)
        } else {
            connections[slot] = connection
        }
        count.wrappingAdd(1, ordering: .relaxed)
        switch census.add(peer.address) {
        case .fine: connection.open(refusal: nil)
        case .full: connection.open(refusal: .tooManyConnections)
        case .tooManyFromAddress: connection.open(refusal: .tooManyConnectionsOfOne)
        }
    }

    /// Removes a connection that has closed its socket.
    func remove(_ connection: HTTPConnection) {
        connections[connection.slot] = nil
        freeSlots.append(connection.slot)
        count.wrappingSubtract(1, ordering: .relaxed)
        census.remove(connection.peer.address)
        endDraining()
    }

    // MARK: Time

    private func beginTicking() {
        isTicking = true
        readClocks()
        let timer = tickTimer ?? LoopTimer(loop: loop) { [weak self] in self?.tick() }
        tickTimer = timer
        timer.schedule(every: limits.tick)
    }

    private func tick() {
        readClocks()
        for connection in connections { connection?.checkClocks() }
        if connectionCount == 0 {
            tickTimer?.cancel()
            isTicking = false
        }
    }

    private func readClocks() {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        now = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        let seconds = Glibc.time(nil)
        if seconds != dateSeconds {
            dateSeconds = seconds
            dateLine = HTTPResponseWriter.dateLine(HTTPDate(secondsSince1970: Int64(seconds)))
        }
    }
}
