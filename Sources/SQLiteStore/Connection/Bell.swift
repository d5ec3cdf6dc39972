import Glibc

/// Wakes a thread that sleeps. Rings are counted: one that no thread waited for wakes the next sleeper at once.
// Safe because the semaphore has a fixed place in memory, is made for use by several threads, and is freed once, in
// `deinit`, when no other reference exists.
@safe final class Bell: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        unsafe semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        _ = unsafe sem_init(semaphore, 0, 0)
    }

    deinit {
        _ = unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    /// Wakes the sleeper.
    func ring() { _ = unsafe sem_post(semaphore) }

    /// Sleeps until it rings, for at most `milliseconds` (nil is for ever).
    func wait(milliseconds: Int?) {
        guard let milliseconds else {
            _ = unsafe sem_wait(semaphore)
            return
        }
        var end = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &end)
        end.tv_nsec += milliseconds % 1_000 * 1_000_000
        end.tv_sec += milliseconds / 1_000 + end.tv_nsec / 1_000_000_000
        end.tv_nsec %= 1_000_000_000
        _ = unsafe sem_timedwait(semaphore, &end)
    }
}
