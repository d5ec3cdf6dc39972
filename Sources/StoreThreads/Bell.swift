import Glibc

/// Wakes a sleeping thread. A counting semaphore: a ring without a sleeper wakes the next one at once.
// Safe because the semaphore has a fixed place in memory, may be used by several threads, and is freed once, in
// `deinit`, when no other reference exists.
@safe package final class Bell: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    package init() {
        unsafe semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        _ = unsafe sem_init(semaphore, 0, 0)
    }

    deinit {
        _ = unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    package func ring() { _ = unsafe sem_post(semaphore) }

    /// Sleeps until a ring, for at most `milliseconds`; nil means without limit.
    package func wait(milliseconds: Int?) {
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
