import CCurl
import EventIO
import Glibc

/// A descriptor that libcurl waits for.
final class SocketWatch {
    let watcher: DescriptorWatcher
    /// Whether the socket was opened, and will be closed, by our callbacks.
    let isOurs: Bool
    /// Whether the connection is multiplexed, as with HTTP/2, so that input is tied to a request.
    var isMultiplexed = false
    /// The directions that libcurl waits for.
    var wanted: DescriptorWatcher.Interest = []
    /// The directions being watched. They may outlast `wanted` on our own sockets: an idle connection stays watched, so
    /// that the next call on it costs no system call for that.
    var watched: DescriptorWatcher.Interest = []

    init(watcher: DescriptorWatcher, isOurs: Bool) {
        self.watcher = watcher
        self.isOurs = isOurs
    }
}

/// Translates libcurl's requests to watchers and timers of the loop.
extension CurlEngine {
    /// Registers the callbacks and limits, once.
    func configureMulti() {
        let this = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe jobserver_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, this)
        unsafe jobserver_multi_set_socket_function(multi) { easy, descriptor, interest, client, _ in
            guard let client = unsafe client else { return 0 }
            let engine = unsafe Unmanaged<CurlEngine>.fromOpaque(client).takeUnretainedValue()
            let transfer = unsafe TransferHandle.transfer(of: easy)
            transfer?.turns.isWatched = true
            engine.watch(descriptor, interest, isPaused: transfer?.turns.isPaused ?? false)
            return 0
        }
        unsafe jobserver_multi_set_pointer(multi, CURLMOPT_TIMERDATA, this)
        unsafe jobserver_multi_set_timer_function(multi) { _, milliseconds, client in
            guard let client = unsafe client else { return 0 }
            let engine = unsafe Unmanaged<CurlEngine>.fromOpaque(client).takeUnretainedValue()
            engine.callBack(inMilliseconds: milliseconds)
            return 0
        }
        // Calls never reach these limits by themselves, only with idle connections, of which libcurl closes the oldest.
        unsafe jobserver_multi_set_long(
            multi, CURLMOPT_MAX_HOST_CONNECTIONS, max(1, limits.connectionsPerHostMax / parts))
        let connectionsMax = max(1, limits.connectionsMax / parts)
        unsafe jobserver_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connectionsMax)
        unsafe jobserver_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connectionsMax)
        unsafe jobserver_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        unsafe jobserver_multi_set_long(
            multi, CURLMOPT_MAX_CONCURRENT_STREAMS, max(1, limits.streamsPerConnectionMax))
    }

    // MARK: Sockets

    /// Records a socket that was opened for libcurl.
    func adopt(_ descriptor: CInt) {
        makeWatch(descriptor, isOurs: true)
    }

    private func watch(on descriptor: CInt) -> SocketWatch? {
        let index = Int(descriptor)
        return sockets.indices.contains(index) ? sockets[index] : nil
    }

    /// Records that a connection is multiplexed.
    func noteMultiplexed(_ descriptor: CInt) {
        watch(on: descriptor)?.isMultiplexed = true
    }

    /// Breaks the idle connection of a descriptor that libcurl holds, on which unrequested data arrived: its end or,
    /// worse, what would be taken for the response to the next request. libcurl only checks for an end, so it is shown
    /// one.
    private func breakOff(_ descriptor: CInt) {
        var pair: (CInt, CInt) = (-1, -1)
        let status = unsafe withUnsafeMutablePointer(to: &pair) { pointer in
            unsafe pointer.withMemoryRebound(to: CInt.self, capacity: 2) {
                unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, $0)
            }
        }
        guard status == 0 else { return }
        dup2(pair.0, descriptor)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        close(pair.0)
        close(pair.1)
    }

    /// Whether an open socket of libcurl has an established TCP connection.
    func isConnected(_ descriptor: CInt) -> Bool {
        guard watch(on: descriptor) != nil else { return false }
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getpeername(descriptor, $0, &length) == 0
            }
        }
    }

    /// Ends the watch on a socket that is about to be closed.
    func forget(_ descriptor: CInt) {
        guard let watch = watch(on: descriptor) else { return }
        watch.watcher.cancel()
        sockets[Int(descriptor)] = nil
    }

    @discardableResult
    private func makeWatch(_ descriptor: CInt, isOurs: Bool) -> SocketWatch {
        let watcher = DescriptorWatcher(loop: loop, descriptor: descriptor) { [weak self] ready in
            self?.socketIsReady(descriptor, ready)
        }
        let watch = SocketWatch(watcher: watcher, isOurs: isOurs)
        let missing = Int(descriptor) + 1 - sockets.count
        if missing > 0 { sockets.append(contentsOf: repeatElement(nil, count: missing)) }
        sockets[Int(descriptor)] = watch
        return watch
    }

    /// - Parameter isPaused: whether the connection is in use by a transfer that is paused.
    private func watch(_ descriptor: CInt, _ interest: CInt, isPaused: Bool) {
        let watch = watch(on: descriptor) ?? makeWatch(descriptor, isOurs: false)
        switch interest {
        case CURL_POLL_IN: watch.wanted = .read
        case CURL_POLL_OUT: watch.wanted = .write
        case CURL_POLL_INOUT: watch.wanted = [.read, .write]
        default: watch.wanted = []
        }
        if watch.wanted.isEmpty, !watch.isOurs {
            forget(descriptor)
            return
        }
        let staysWatched = watch.wanted.isEmpty && watch.watched == .read && !isPaused
        if watch.wanted != watch.watched, !staysWatched {
            watch.watcher.watch(watch.wanted)
            watch.watched = watch.wanted
        }
    }

    private func socketIsReady(_ descriptor: CInt, _ ready: DescriptorWatcher.Interest) {
        guard let watch = watch(on: descriptor) else { return }
        guard !watch.wanted.isEmpty else {
            // The upstream closed an idle connection. libcurl finds out when it wants to use it.
            watch.watcher.cancel()
            watch.watched = []
            if !watch.isMultiplexed { breakOff(descriptor) }
            return
        }
        var events: CInt = 0
        if ready.contains(.read) { events |= CURL_CSELECT_IN }
        if ready.contains(.write) { events |= CURL_CSELECT_OUT }
        drive(descriptor, events)
    }

    // MARK: Time

    /// Handles libcurl's request to be called after this time; -1 cancels it.
    private func callBack(inMilliseconds milliseconds: Int) {
        isDue = milliseconds == 0
        guard milliseconds > 0 else {
            libraryDue = nil
            return
        }
        let due = Moment.now.advanced(by: .milliseconds(milliseconds))
        libraryDue = due
        if libraryTimerDue.map({ due < $0 }) ?? true { setLibraryTimer(.milliseconds(milliseconds)) }
    }

    func setLibraryTimer(_ delay: Duration) {
        prepareTimers()
        libraryTimerDue = Moment.now.advanced(by: delay)
        libraryTimer?.schedule(after: delay)
    }

    /// Handles the timer, which may have fired earlier than libcurl now wants.
    func libraryTimerFired() {
        libraryTimerDue = nil
        let now = Moment.now
        if isDue || libraryDue.map({ $0 <= now }) ?? false {
            libraryDue = nil
            drive()
        } else if let libraryDue {
            setLibraryTimer(libraryDue.since(now))
        }
    }

    /// Ensures that the clocks are checked by `deadline`.
    func watchClock(_ deadline: Moment) {
        if let clockTimerDue, clockTimerDue <= deadline { return }
        prepareTimers()
        clockTimerDue = deadline
        clockTimer?.schedule(after: deadline.since(.now))
    }
}
