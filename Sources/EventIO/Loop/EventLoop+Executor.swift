extension EventLoop {
    /// Enqueues a partial task. Called by the Swift runtime, from any thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        enqueue(.job(UnownedJob(job)))
    }

    /// The loop as an actor's executor: `unownedExecutor` of an actor that runs here.
    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    /// The loop as a task's preferred executor: `Task(executorPreference: loop)`.
    package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        unsafe UnownedTaskExecutor(ordinary: self)
    }

    /// Traps unless the caller runs on this loop. Lets `assumeIsolated` work in callbacks from C.
    package func checkIsolated() {
        precondition(isCurrent, "Must be called on the event loop \(name)")
    }

    /// Whether the caller runs on this loop; the check that does not trap.
    package func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }
}
