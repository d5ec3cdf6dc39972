extension EventLoop {
    /// Enqueues a partial task. Called by the Swift runtime, from any thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        enqueue(.job(UnownedJob(job)))
    }

    /// The loop as a task's preferred executor: `Task(executorPreference: loop)`.
    package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        unsafe UnownedTaskExecutor(ordinary: self)
    }
}
