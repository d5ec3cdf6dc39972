import Glibc
import JobStore
internal import Synchronization

/// A thread of the operating system, for work that blocks.
enum OSThread {
    // Safe because it only carries the body from the starting thread to the started one.
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
        let bell = Bell()
    }

    /// The value of `body` on a thread of its own that gets the processor only when no other thread wants it. The
    /// caller waits, so that what follows, and threads that it starts, are scheduled like the caller.
    /// - Throws: `.unavailable` when the system gives no thread.
    static func atLeisure<Value: Sendable>(_ body: @escaping @Sendable () -> Value) throws(JobStoreError)
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

    /// From now on the calling thread gets the processor only when no other thread wants it.
    private static func stepBack() { follow(5 /* SCHED_IDLE, which is visible to GNU programs only */) }

    /// From now on the calling thread, when it wakes, leaves the processor to whoever has it; see sched(7). Nothing
    /// changes when the process is scheduled in a way of its own.
    static func standBack() {
        if sched_getscheduler(0) == 0 { follow(3 /* SCHED_BATCH, likewise */) }
    }

    private static func follow(_ policy: CInt) {
        var parameters = sched_param()
        _ = unsafe sched_setscheduler(0, policy, &parameters)
    }

    /// Runs `body` on a new thread, which ends with it.
    /// - Throws: `.unavailable` when the system gives no thread.
    static func start(_ body: @escaping @Sendable () -> Void) throws(JobStoreError) {
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
