import CCurl
import EventIO
import Glibc

/// One descriptor that libcurl waits for.
final class SocketWatch {
    /// The loop's watcher.
    let watcher: DescriptorWatcher
    /// Whether the socket was opened, and will be closed, by our own functions.
    let isOurs: Bool
    /// Whether what arrives says which request it belongs to, as with HTTP/2.
    var isMultiplexed = false
    /// What libcurl waits for.
    var wanted: DescriptorWatcher.Interest = []
    /// What is watched. It may outlast what is wanted on a socket of our own: a kept connection stays watched, so
    /// that a call on it costs no system call for that.
    var watched: DescriptorWatcher.Interest = []

    init(watcher: DescriptorWatcher, isOurs: Bool) {
        self.watcher = watcher
        self.isOurs = isOurs
    }
}

/// How libcurl's wishes become watchers and timers of the loop.
extension CurlEngine {
    /// Registers the callbacks and limits, once.
    func configureMulti() {
        let this = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe jobserver_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, this)
        unsafe jobserver_multi_set_socket_function(multi) { _, descriptor, interest, client, _ in
            guard let client = unsafe client else { return 0 }
            let engine = unsafe Unmanaged<CurlEngine>.fromOpaque(client).takeUnretainedValue()
            engine.watch(descriptor, interest)
            return 0
        }
        unsafe jobserver_multi_set_pointer(multi, CURLMOPT_TIMERDATA, this)
        unsafe jobserver_multi_set_timer_function(multi) { _, milliseconds, client in
            guard let client = unsafe client else { return 0 }
            let engine = unsafe Unmanaged<CurlEngine>.fromOpaque(client).takeUnretainedValue()
            engine.callBack(inMilliseconds: milliseconds)
            return 0
        }
        unsafe jobserver_multi_set_long(
            multi, CURLMOPT_MAX_HOST_CONNECTIONS, max(1, limits.connectionsPerHostMax / parts))
        let connectionsMax = max(1, limits.connectionsMax / parts)
        unsafe jobserver_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connectionsMax)
        unsafe jobserver_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connectionsMax)
        unsafe jobserver_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    }

    // MARK: Sockets

    /// Takes note of a socket that was opened for libcurl.
    func adopt(_ descriptor: CInt) {
        makeWatch(descriptor, isOurs: true)
    }

    /// The watch on a descriptor, if there is one.
    private func watch(on descriptor: CInt) -> SocketWatch? {
        let index = Int(descriptor)
        return sockets.indices.contains(index) ? sockets[index] : nil
    }

    /// Notes that a connection carries several requests at once.
    func noteMultiplexed(_ descriptor: CInt) {
        watch(on: descriptor)?.isMultiplexed = true
    }

    /// Ends the connection behind a descriptor that libcurl holds. On a kept connection something arrived that
    /// nobody asked for: the end of it or, worse, what would be taken for the answer to the next request. libcurl
    /// only sees whether there was an end, so it is shown one.
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

    /// Whether a socket that was opened for libcurl, and not closed since, has its TCP connection.
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

    private func watch(_ descriptor: CInt, _ interest: CInt) {
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
        let staysWatched = watch.wanted.isEmpty && watch.watched == .read
        if watch.wanted != watch.watched, !staysWatched {
            watch.watcher.watch(watch.wanted)
            watch.watched = watch.wanted
        }
    }

    private func socketIsReady(_ descriptor: CInt, _ ready: DescriptorWatcher.Interest) {
        guard let watch = watch(on: descriptor) else { return }
        guard !watch.wanted.isEmpty else {
            // A kept connection was closed by the upstream. libcurl finds out when it wants to use it.
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

    /// libcurl wants to be called after this time; -1 when it does not.
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

    /// Sets libcurl's timer.
    func setLibraryTimer(_ delay: Duration) {
        prepareTimers()
        libraryTimerDue = Moment.now.advanced(by: delay)
        libraryTimer?.schedule(after: delay)
    }

    /// The timer fired; it may be earlier than libcurl wants to be called by now.
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

    /// Makes sure that the clocks are looked at by `deadline`.
    func watchClock(_ deadline: Moment) {
        if let clockTimerDue, clockTimerDue <= deadline { return }
        prepareTimers()
        clockTimerDue = deadline
        clockTimer?.schedule(after: deadline.since(.now))
    }
}
