import CCurl
import EventIO
import HTTPMessage

// DESIGN
// One libcurl multi handle lives on one event loop. libcurl says which sockets it waits for and when it wants to be
// called next; the engine translates that to watchers and a timer of the loop, calls libcurl when one of them fires,
// and collects finished transfers after every such call. Calls enter with `start`, which hands the transfer to libcurl
// and lets it begin at once, without a turn of the loop in between.
//
// The timeouts of all calls share one more timer, set to the earliest deadline. Finished calls do not reset it: it
// fires, finds nothing overdue and is set again, so that a call costs one comparison.
//
// `shutDown` ends the work and cancels what is in flight.

/// The part of the client that lives on the loop.
// Safe because every method except the initializer is called on the loop only, which `start`, `cancel` and `shutDown`
// check.
@safe
final class CurlEngine: @unchecked Sendable {
    let loop: EventLoop
    let settings: CurlSettings
    let route: RoutePlan
    let parts: Int
    /// The number of the route among those of the client; 0 for the default one.
    let number: Int
    /// Takes over a call whose route changes with a redirect. It owns the engine, and closes it before its own end.
    private unowned let switchboard: CurlSwitchboard

    let multi: UnsafeMutableRawPointer
    /// The descriptors watched for libcurl, indexed by descriptor.
    var sockets: [SocketWatch?] = []
    /// Whether libcurl wants to be called at once.
    var isDue = false
    /// The time at which libcurl wants to be called, and at which its timer fires; the timer may fire early, never
    /// late.
    var libraryDue: Moment?
    var libraryTimerDue: Moment?
    var clockTimerDue: Moment?
    /// The number of times that libcurl was called.
    private(set) var round = 0
    private(set) var libraryTimer: LoopTimer?
    private(set) var clockTimer: LoopTimer?

    private var active: [CurlTransfer] = []
    private var idle: [CurlTransfer] = []
    /// The number of calls in flight by their place in the line.
    private var callCounts: [Int] = []
    private var lastAddress: (text: String, address: IPAddress)?
    private var isDriving = false
    private var isClosed = false

    /// - Parameter parts: the number of engines that share the connections of this route.
    init(
        _ settings: CurlSettings, route: RoutePlan, switchboard: CurlSwitchboard, number: Int = 0,
        parts: Int = 1
    ) {
        loop = settings.loop
        self.settings = settings
        self.route = route
        self.parts = parts
        self.number = number
        self.switchboard = switchboard
        precondition(Self.libraryIsReady, "libcurl could not be initialised")
        guard let multi = unsafe curl_multi_init() else { preconditionFailure("libcurl is out of memory") }
        unsafe self.multi = unsafe multi
        configureMulti()
    }

    deinit {
        // Not closed means that the loop ended first; no other code can be running here then.
        if !isClosed { unsafe curl_multi_cleanup(multi) }
    }

    /// Initializes libcurl once for the process.
    private static let libraryIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    // MARK: Calls

    /// The number of calls in flight.
    var callCount: Int { active.count }

    /// The number of calls in flight at a place of the line.
    func callCount(at place: Int) -> Int { callCounts.indices.contains(place) ? callCounts[place] : 0 }

    /// Whether the engine may be closed.
    var isUnused: Bool { active.isEmpty && !isDriving }

    var limits: CurlLimits { settings.limits }

    var pacer: CurlPacer { switchboard.pacer }

    /// Begins a call or, after a redirect, its next transfer, whose turn has come.
    func start(_ call: CurlCall, now: Moment) {
        guard !isClosed else { return fail(call, .cancelledBefore(call)) }
        guard let transfer = idle.popLast() ?? CurlTransfer(engine: self) else {
            return fail(call, .outOfMemory(call.target))
        }
        transfer.prepare(call, to: call.target, now: now)
        call.transfer = transfer
        transfer.position = active.count
        active.append(transfer)
        count(1, at: call.place)
        unsafe curl_multi_add_handle(multi, transfer.easy)
        watchClock(transfer.clocks.nextDeadline)
        drive()
    }

    private func count(_ change: Int, at place: Int?) {
        guard let place else { return }
        let missing = place + 1 - callCounts.count
        if missing > 0 { callCounts.append(contentsOf: repeatElement(0, count: missing)) }
        callCounts[place] += change
    }

    /// Notes whether the connection of a call is multiplexed, as with HTTP/2.
    func note(isMultiplexed: Bool, of call: CurlCall, on descriptor: CInt?) {
        if isMultiplexed, let descriptor { noteMultiplexed(descriptor) }
        if let place = call.place { switchboard.line.note(isMultiplexed: isMultiplexed, at: place) }
    }

    /// Ends the call of a transfer, whose outcome is no longer awaited.
    func cancel(_ transfer: CurlTransfer) {
        precondition(loop.isCurrent, "Calls are cancelled on the loop")
        abort(transfer, .cancelled)
        drive()
    }

    /// Ends everything and frees all resources. No call may begin after that.
    func shutDown() {
        precondition(loop.isCurrent, "An engine is closed on its loop")
        guard !isClosed else { return }
        isClosed = true
        for transfer in active { abort(transfer, .cancelled) }
        idle.removeAll()
        libraryTimer?.cancel()
        clockTimer?.cancel()
        libraryTimer = nil
        clockTimer = nil
        unsafe curl_multi_cleanup(multi)
        for watch in sockets { watch?.watcher.cancel() }
        sockets.removeAll()
    }

    /// Parses an address from libcurl, unmapped; the last one is cached, too.
    func address(of text: String) -> IPAddress? {
        if let lastAddress, text == lastAddress.text { return lastAddress.address }
        guard let address = IPAddress(text)?.unmapped else { return nil }
        lastAddress = (text, address)
        return address
    }

    // MARK: Driving

    /// Lets libcurl work on one ready socket, or on everything that is due.
    func drive(_ descriptor: curl_socket_t = jobserver_socket_timeout, _ events: CInt = 0) {
        guard !isDriving, !isClosed else { return }
        isDriving = true
        round &+= 1
        defer { isDriving = false }
        var running: CInt = 0
        isDue = isDue && descriptor != jobserver_socket_timeout
        unsafe curl_multi_socket_action(multi, descriptor, events, &running)
        collectFinished()
        var rounds = 0
        while isDue, rounds < 16 {
            isDue = false
            rounds += 1
            unsafe curl_multi_socket_action(multi, jobserver_socket_timeout, 0, &running)
            collectFinished()
        }
        if isDue { setLibraryTimer(.zero) }
    }

    private func collectFinished() {
        var left: CInt = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            let result = unsafe jobserver_message_result(message)
            guard let transfer = unsafe TransferHandle.transfer(of: message.pointee.easy_handle) else {
                continue
            }
            finish(transfer, result)
        }
        switchboard.giveTurns()
    }

    /// Checks all timeouts and ends what is overdue.
    func checkClocks() {
        clockTimerDue = nil
        let now = Moment.now
        // A paused transfer does not wait for the upstream.
        for transfer in active where transfer.turns.isPaused { transfer.clocks.received(at: now) }
        let overdue = active.compactMap { transfer in
            transfer.clocks.expiry(at: now).map { (transfer, $0) }
        }
        for (transfer, expiry) in overdue { abort(transfer, .expired(expiry)) }
        if let next = active.lazy.map(\.clocks.nextDeadline).min() { watchClock(next) }
        if !overdue.isEmpty { drive() }
    }

    /// Resumes a paused transfer.
    func resume(_ transfer: CurlTransfer) {
        guard !isClosed else { return }
        transfer.turns.resume()
        let result = unsafe curl_easy_pause(transfer.easy, CURLPAUSE_CONT)
        // libcurl does not end a transfer that refuses the content kept for it.
        if result != CURLE_OK { finish(transfer, result) }
        drive()
    }

    // MARK: Ends

    private func finish(_ transfer: CurlTransfer, _ result: CURLcode) {
        guard let call = transfer.call else { return }
        detach(transfer)
        guard result == CURLE_OK, transfer.completeContent() else {
            return fail(call, transfer, .finished(Int(result.rawValue)))
        }
        let answer = HTTPCallAnswer(
            status: transfer.collector.status ?? 0, fields: transfer.collector.fields(),
            body: transfer.collector.body, exchange: transfer.exchange(of: call),
            contentCoding: transfer.keptCoding)
        guard call.purpose == .exchange else {
            transfer.release()
            return switchboard.settle(call, .success(answer))
        }
        if let location = transfer.followedLocation {
            call.earlierBytesSent += transfer.bytesSent
            call.earlierBytesReceived += transfer.bytesReceived
            let target = transfer.target
            recycle(transfer)
            return redirect(call, answer, to: location, from: target)
        }
        if answer.status == 407, transfer.isProxied {
            let failure = HTTPCallFailure.proxyWantsCredentials(answer, route.proxy)
            recycle(transfer)
            return fail(call, failure)
        }
        recycle(transfer)
        switchboard.settle(call, .success(answer))
    }

    private func redirect(_ call: CurlCall, _ answer: HTTPCallAnswer, to location: String, from: CallTarget) {
        guard call.redirects < call.request.redirectsMax else {
            return fail(call, .tooManyRedirects(answer, from, max: call.request.redirectsMax))
        }
        let url: String
        let target: CallTarget
        do {
            url = try URLReference.resolve(location, against: call.request.url)
            target = try CallTarget(url)
        } catch {
            return fail(call, .badRedirect(answer, from, location, error))
        }
        let scope = call.request.redirectScope
        guard scope != .sameHost || target.host == from.host else {
            return fail(call, .foreignRedirect(answer, from, to: target))
        }
        let staysHome = scope == .anywhereWithCredentials || target == from
        guard
            staysHome || !call.request.hasConfidentialContent
                || RedirectRule.becomesGet(call.request.method, status: answer.status)
        else { return fail(call, .confidentialRedirect(answer, from, to: target)) }
        call.redirects += 1
        let method = call.request.method
        RedirectRule.follow(&call.request, status: answer.status, to: url, keepsCredentials: staysHome)
        if call.request.method != method { call.hasActed = true }
        switchboard.start(call, now: .now)
    }

    /// Ends a transfer before libcurl does.
    private func abort(_ transfer: CurlTransfer, _ end: TransferEnd) {
        guard let call = transfer.call else { return }
        let report = transfer.report(end, of: call)
        detach(transfer)
        transfer.release()
        fail(call, FailureTable.failure(report))
    }

    private func fail(_ call: CurlCall, _ transfer: CurlTransfer, _ end: TransferEnd) {
        let report = transfer.report(end, of: call)
        transfer.release()
        fail(call, FailureTable.failure(report))
    }

    private func fail(_ call: CurlCall, _ failure: HTTPCallFailure) {
        switchboard.settle(call, .failure(failure))
    }

    private func detach(_ transfer: CurlTransfer) {
        unsafe curl_multi_remove_handle(multi, transfer.easy)
        count(-1, at: transfer.call?.place)
        let last = active.removeLast()
        if last !== transfer {
            active[transfer.position] = last
            last.position = transfer.position
        }
        transfer.position = -1
    }

    /// Keeps the handle for the next call. Only a handle whose transfer succeeded comes back here.
    private func recycle(_ transfer: CurlTransfer) {
        transfer.release()
        if idle.count < limits.idleHandlesMax, !isClosed { idle.append(transfer) }
    }

    /// Creates the timers, on the loop, before the first use.
    func prepareTimers() {
        guard libraryTimer == nil, !isClosed else { return }
        libraryTimer = LoopTimer(loop: loop) { [weak self] in self?.libraryTimerFired() }
        clockTimer = LoopTimer(loop: loop) { [weak self] in self?.checkClocks() }
    }
}
