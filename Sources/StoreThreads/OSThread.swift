import Glibc
package import JobStore
internal import Synchronization

/// The claim of a thread to the processors that others want, too.
package enum ThreadPace: Sendable {
    /// That of the thread which creates it.
    case even
    /// It preempts no other when it wakes.
    case modest
    /// It has a tenth of the time of another, which is nice(2) 10, and preempts none.
    case patient
    /// The system stops it at once when another has something to do.
    case idle
}

/// Threads of the operating system, for work that blocks.
///
/// A new thread has the pace of its creator at most, since nothing unprivileged takes back what it left to others.
package enum OSThread {
    // Safe because it only carries the body from the starting thread to the started one.
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
        let bell = Bell()
    }

    /// Runs `body` on a thread of idle priority and returns its value. The caller waits, so that its own priority, and
    /// that of threads it starts, is unchanged.
    /// - Throws: `.unavailable` when the system cannot create a thread.
    package static func atLeisure<Value: Sendable>(_ body: @escaping @Sendable () -> Value)
        throws(JobStoreError)
        -> Value
    {
        let outcome = Outcome<Value>()
        try start("idle", .idle) {
            let value = body()
            outcome.value.withLock { $0 = value }
            outcome.bell.ring()
        }
        while true {
            outcome.bell.wait(milliseconds: nil)
            if let value = outcome.value.withLock({ $0 }) { return value }
        }
    }

    /// Keeps the calling thread from preempting others when it wakes; see sched(7). Does nothing when the process has a
    /// scheduling policy already.
    package static func standBack() {
        if sched_getscheduler(0) == 0 { follow(3 /* SCHED_BATCH, which is visible to GNU programs only */) }
    }

    /// The processor time of the calling thread.
    package static var spent: Duration {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private static func follow(_ policy: CInt) {
        var parameters = sched_param()
        _ = unsafe sched_setscheduler(0, policy, &parameters)
    }

    /// Runs `body` on a new thread.
    /// - Parameter name: the name that `top -H` shows, of which the system keeps 15 bytes.
    /// - Throws: `.unavailable` when the system cannot create a thread.
    package static func start(
        _ name: String, _ pace: ThreadPace = .even, _ body: @escaping @Sendable () -> Void
    ) throws(JobStoreError) {
        let named: @Sendable () -> Void = {
            take(name)
            take(pace)
            body()
        }
        let passed = unsafe Unmanaged.passRetained(Body(named)).toOpaque()
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            }, passed)
        guard code == 0 else {
            unsafe Unmanaged<Body>.fromOpaque(passed).release()
            throw JobStoreError(
                .unavailable, "The system gives no further thread; raise the limit (ulimit -u).")
        }
        pthread_detach(thread)
    }

    private static func take(_ pace: ThreadPace) {
        switch pace {
        case .even: break
        case .modest: standBack()
        case .patient:
            standBack()
            _ = nice(10)
        case .idle: follow(5 /* SCHED_IDLE, which is visible to GNU programs only */)
        }
    }

    /// Names the calling thread.
    private static func take(_ name: String) {
        let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = unsafe Array(name.utf8).withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
        close(file)
    }
}
