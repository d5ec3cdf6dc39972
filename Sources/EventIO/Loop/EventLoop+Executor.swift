extension EventLoop {
    /// Takes a piece of an actor or task. Called by the Swift runtime, from any thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        enqueue(.job(UnownedJob(job)))
    }

    /// The loop as the executor of an actor: `unownedExecutor` of an actor that lives here.
    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    /// The loop as the preferred executor of a task: `Task(executorPreference: loop)`.
    package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        unsafe UnownedTaskExecutor(ordinary: self)
    }

    /// Traps unless the caller runs on this loop. Lets `assumeIsolated` work in callbacks from C.
    package func checkIsolated() {
        precondition(isCurrent, "Must be called on the event loop \(name)")
    }

    /// Whether the caller runs on this loop; the question that does not trap.
    package func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }
}
