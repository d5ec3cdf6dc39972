import Glibc
package import JobStore
internal import Synchronization

/// Threads of the operating system, for work that blocks.
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
        try start {
            stepBack()
            let value = body()
            outcome.value.withLock { $0 = value }
            outcome.bell.ring()
        }
        while true {
            outcome.bell.wait(milliseconds: nil)
            if let value = outcome.value.withLock({ $0 }) { return value }
        }
    }

    /// Runs `body` on a new thread of idle priority.
    /// - Throws: `.unavailable` when the system cannot create a thread.
    package static func startAtLeisure(_ body: @escaping @Sendable () -> Void) throws(JobStoreError) {
        try start {
            stepBack()
            body()
        }
    }

    /// Gives the calling thread idle priority.
    private static func stepBack() { follow(5 /* SCHED_IDLE, which is visible to GNU programs only */) }

    /// Keeps the calling thread from preempting others when it wakes; see sched(7). Does nothing when the process has a
    /// scheduling policy already.
    package static func standBack() {
        if sched_getscheduler(0) == 0 { follow(3 /* SCHED_BATCH, likewise */) }
    }

    private static func follow(_ policy: CInt) {
        var parameters = sched_param()
        _ = unsafe sched_setscheduler(0, policy, &parameters)
    }

    /// Runs `body` on a new thread.
    /// - Throws: `.unavailable` when the system cannot create a thread.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(JobStoreError) {
        let passed = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
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
}
