import CEvent
import Glibc
import Synchronization

// DESIGN
// An EventLoop is one thread that turns. Each turn asks libevent for ready sockets, timers and signals and runs their
// handlers, then runs a bounded batch of queued work (functions and partial tasks), then calls the registered
// finishers, which for instance send everything answered during the turn in one write.
//
// Work from other threads enters through a locked list; the first item after the loop went to sleep writes to an
// eventfd, further ones find the loop awake: one wake-up for a whole batch. Work that the loop gives itself goes to a
// plain queue without a lock. No other thread ever touches libevent, so the event base needs no locks either.
//
// The batch of a turn ends after some milliseconds, however long the queue is, and so does that of the shares: sockets
// and timers wait for at most one item that takes long.
//
// A loop is the preferred executor of tasks and not the executor of actors. A partial task that runs as on an actor's
// executor goes back to the queue at each call of code that belongs to no actor, and there is no other code here.

/// One thread with one libevent base, which is also an executor for tasks.
///
/// A loop is created, started once, and stopped once. Work submitted before the start waits for it; work submitted
/// after the stop never runs.
// Safe because the pointer and everything `turn` touches belong to the loop's thread (before `start` and after `stop`:
// to the one thread that owns the loop then); the rest is behind a mutex or atomic.
@safe
package final class EventLoop: TaskExecutor, @unchecked Sendable {
    /// The name of the thread, of which the system shows 15 bytes.
    package let name: String
    /// Whether the thread avoids preempting others when it wakes (SCHED_BATCH, see sched(7)). Ignored when the process
    /// has a scheduling policy already.
    private let standsBack: Bool
    /// The scheduling policy of the creating thread; 0 is the default one.
    private let policyOfMaker = sched_getscheduler(0)

    let base: OpaquePointer
    private let wakeDescriptor: CInt
    private var wakeEvent: OpaquePointer?

    private let inbox = Mutex(LoopInbox())
    private let threadIdentity = Atomic<UInt>(0)

    private var work = LoopWorkQueue()
    /// The shares that have work, in the order of their turns.
    private var shares: [LoopShare] = []
    /// The share whose turn it is, on the loop only.
    package private(set) var currentShare: ObjectIdentifier?
    private var turnFinishers: [any TurnFinisher] = []
    /// The tasks that sleep, which the end of the loop wakes.
    private var sleepers: [ObjectIdentifier: LoopSleeper] = [:]
    private var isEnding = false
    private let slices = SliceMeter()
    /// The longest slice since it was asked for, in nanoseconds.
    private let longestSlice = Atomic<Int64>(0)

    /// The number of queued items that run before sockets and timers are polled again, unless 4 ms pass before.
    private static let batchItemsMax = 256
    /// The number of further batches after a stop request, so that queued work gets its chance.
    private static let finalBatchesMax = 64

    /// Process-wide setup, done once: libevent must not be set up by two threads at the same time.
    private static let isProcessReady: Bool = {
        cevent_ignore_sigpipe()
        return evthread_use_pthreads() == 0
    }()

    /// Creates a loop that has not started.
    ///
    /// - Throws: `.system` when the process is out of descriptors or memory.
    package init(name: String, standsBack: Bool = false) throws(EventIOError) {
        self.name = name
        self.standsBack = standsBack
        guard Self.isProcessReady, let config = unsafe event_config_new() else {
            throw EventIOError(.system, operation: "set up an event loop", detail: "out of memory")
        }
        defer { unsafe event_config_free(config) }
        let flags = EVENT_BASE_FLAG_PRECISE_TIMER.rawValue | EVENT_BASE_FLAG_NOLOCK.rawValue
        unsafe event_config_set_flag(config, CInt(flags))
        let descriptor = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .system(errno, operation: "set up an event loop") }
        guard let base = unsafe event_base_new_with_config(config) else {
            Glibc.close(descriptor)
            throw EventIOError(.system, operation: "set up an event loop", detail: "libevent gave no base")
        }
        unsafe self.base = unsafe base
        wakeDescriptor = descriptor
        // Edge-triggered: each write wakes once and the counter need not be read back.
        let flagsOfWake = CShort(EV_READ | EV_ET | EV_PERSIST)
        unsafe wakeEvent = unsafe event_new(
            base, descriptor, flagsOfWake,
            { _, _, context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue().noteAwake()
            }, Unmanaged.passUnretained(self).toOpaque())
        unsafe event_add(wakeEvent, nil)
    }

    deinit {
        if let wakeEvent = unsafe wakeEvent { unsafe event_free(wakeEvent) }
        unsafe event_base_free(base)
        Glibc.close(wakeDescriptor)
    }

    // MARK: Life

    /// Starts the thread. Once only.
    package func start() {
        let isFirst = inbox.withLock { inbox in
            defer { inbox.isRunning = true }
            return !inbox.isRunning
        }
        precondition(isFirst, "An event loop is started once")
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        let status = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        precondition(status == 0, "The system refuses to make a thread: \(systemErrorText(status))")
        inbox.withLock { $0.thread = thread }
    }

    /// Runs what is already queued, ends the thread and waits for its end.
    ///
    /// Listeners and timers on the loop should have ended before. Tasks that sleep are woken, and fail. Must not be
    /// called on the loop itself. A second call does nothing.
    package func stop() {
        precondition(!isCurrent, "An event loop cannot wait for its own end")
        guard let thread = requestStop() else { return }
        pthread_join(thread, nil)
    }

    /// Like `stop`, without waiting for the end. From any thread, the loop's included.
    package func stopSoon() {
        guard let thread = requestStop() else { return }
        pthread_detach(thread)
    }

    /// The thread that is to end; nil when there is none, or another caller has it.
    private func requestStop() -> pthread_t? {
        let thread: pthread_t? = inbox.withLock { inbox in
            inbox.isStopping = true
            defer { inbox.thread = nil }
            return inbox.thread
        }
        if thread != nil { wake() }
        return thread
    }

    package var isCurrent: Bool {
        threadIdentity.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Whether the caller may touch state bound to this loop: on its thread, or while it has none.
    var isConfined: Bool {
        isCurrent || inbox.withLock { !$0.isRunning || $0.hasEnded }
    }

    // MARK: Work

    /// Runs `function` on the loop's thread, after all work queued before. From any thread.
    package func execute(_ function: @escaping @Sendable () -> Void) {
        enqueue(.call(function))
    }

    /// Runs `function` at once when already on the loop, otherwise queues it.
    package func onLoop(_ function: @escaping @Sendable () -> Void) {
        if isCurrent { function() } else { enqueue(.call(function)) }
    }

    func enqueue(_ item: LoopWork) {
        if isCurrent { return append(item) }
        let mustWake = inbox.withLock { inbox in
            if inbox.hasEnded { return false }
            inbox.items.append(item)
            defer { inbox.isAsleep = false }
            return inbox.isAsleep
        }
        if mustWake { wake() }
    }

    private func append(_ item: LoopWork) {
        guard case .shared(let job, let share) = item else { return work.append(item) }
        if share.append(job) { shares.append(share) }
    }

    /// Calls `finisher` once at the end of the current turn. On the loop only.
    func finishTurn(_ finisher: any TurnFinisher) {
        turnFinishers.append(finisher)
    }

    /// Wakes a sleeping task at the end of the loop. On the loop only. Returns false when the loop is ending.
    func add(_ sleeper: LoopSleeper) -> Bool {
        if !isEnding { sleepers[ObjectIdentifier(sleeper)] = sleeper }
        return !isEnding
    }

    func remove(_ sleeper: LoopSleeper) { sleepers[ObjectIdentifier(sleeper)] = nil }

    private func wake() {
        var one: UInt64 = 1
        _ = unsafe Glibc.write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// The longest processor time of one turn since the last call of this, or since the start. From any thread.
    package func takeLongestSlice() -> Duration {
        .nanoseconds(longestSlice.exchange(0, ordering: .relaxed))
    }

    // MARK: Turning

    private func run() {
        threadIdentity.store(UInt(pthread_self()), ordering: .relaxed)
        unsafe pthread_setname_np(pthread_self(), String(name.utf8.prefix(15)) ?? "loop")
        if policyOfMaker == 0 {
            // Set in both cases: a thread inherits the policy of its creator, which may be batch.
            var parameters = sched_param()
            let batch: CInt = 3  // SCHED_BATCH, which is visible to GNU programs only.
            _ = unsafe sched_setscheduler(0, standsBack ? batch : 0, &parameters)
        }
        slices.begin(
            at: SliceMeter.nanoseconds(of: CLOCK_MONOTONIC),
            spent: SliceMeter.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID))
        while turn() {}
        isEnding = true
        for sleeper in sleepers.values { sleeper.cancel() }
        for _ in 0..<EventLoop.finalBatchesMax {
            _ = collect()
            if work.isEmpty && shares.isEmpty { break }
            runBatch()
            runShares()
        }
        finishTurns()
        threadIdentity.store(0, ordering: .relaxed)
        // What is left never runs. It may own this loop, and is released outside the lock.
        var left: [LoopWork] = []
        inbox.withLock { inbox in
            inbox.hasEnded = true
            swap(&left, &inbox.items)
        }
        work = LoopWorkQueue()
        shares = []
    }

    /// Runs one turn. Returns false when the loop has been asked to stop.
    private func turn() -> Bool {
        let maySleep = work.isEmpty && shares.isEmpty && inbox.withLock { $0.prepareSleep() }
        if maySleep { slices.sleep() }
        unsafe event_base_loop(base, EVLOOP_ONCE | (maySleep ? 0 : EVLOOP_NONBLOCK))
        noteAwake()
        let goesOn = collect()
        runBatch()
        runShares()
        finishTurns()
        measureTurn()
        return goesOn
    }

    /// Notes that the loop is awake: before the first function that a turn calls, and after all of them.
    func noteAwake() {
        if slices.isAsleep { slices.wake(at: SliceMeter.nanoseconds(of: CLOCK_MONOTONIC)) }
    }

    private func measureTurn() {
        let slice = slices.end(at: SliceMeter.nanoseconds(of: CLOCK_MONOTONIC)) {
            SliceMeter.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID)
        }
        if let slice { longestSlice.max(slice, ordering: .relaxed) }
    }

    private func collect() -> Bool {
        inbox.withLock { inbox in
            inbox.isAsleep = false
            if !inbox.items.isEmpty { work.takeAll(of: &inbox.items) }
            return !inbox.isStopping
        }
    }

    private func runBatch() {
        if work.isEmpty { return }
        let end = Self.batchEnd
        var left = EventLoop.batchItemsMax
        while left > 0 {
            switch work.popFirst() {
            case .job(let job):
                unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            case .call(let function):
                function()
            case .shared(let job, let share):
                if share.append(job) { shares.append(share) }
                continue
            case .taken:
                break
            case nil:
                return
            }
            left -= 1
            if Self.coarseTime >= end { return }
        }
    }

    /// Gives each share a turn, unless that takes too long. What a socket or a timer brings for one share waits for no
    /// second turn of another.
    private func runShares() {
        if shares.isEmpty { return }
        let end = Self.batchEnd
        var left = shares.count
        repeat {
            let share = shares.removeFirst()
            currentShare = ObjectIdentifier(share)
            if share.runTurn() { shares.append(share) }
            left -= 1
        } while left > 0 && Self.coarseTime < end
        currentShare = nil
    }

    /// The nanoseconds of a clock that costs no more than a read of memory, and jumps every few milliseconds.
    private static var coarseTime: Int64 { SliceMeter.nanoseconds(of: CLOCK_MONOTONIC_COARSE) }

    private static var batchEnd: Int64 { coarseTime + 4_000_000 }

    private func finishTurns() {
        guard !turnFinishers.isEmpty else { return }
        var finishers: [any TurnFinisher] = []
        swap(&finishers, &turnFinishers)
        for finisher in finishers { finisher.finishTurn() }
        // The storage is reused unless a finisher was added for the next turn meanwhile.
        if turnFinishers.isEmpty {
            finishers.removeAll(keepingCapacity: true)
            swap(&finishers, &turnFinishers)
        }
    }
}

/// An object with work to do at the end of a turn.
protocol TurnFinisher: AnyObject {
    /// Called on the loop, once per request.
    func finishTurn()
}

/// The work from other threads, with the state that both sides must agree on.
private struct LoopInbox: Sendable {
    var items: [LoopWork] = []
    /// Whether the loop waits in the kernel, or is about to, so that the next item must wake it.
    var isAsleep = false
    var isRunning = false
    var isStopping = false
    var hasEnded = false
    var thread: pthread_t?

    /// Whether the loop may wait in the kernel; if so, it is marked as asleep.
    mutating func prepareSleep() -> Bool {
        isAsleep = items.isEmpty && !isStopping
        return isAsleep
    }
}
