import EventIO
import JobKit
import JobRunner
import JobStore
import Synchronization
import Testing

@Suite struct `A job watch` {
    private let id = JobID(high: 1, low: 1)

    private func change(_ state: JobState?, revision: Int64 = 2) -> JobChange {
        JobChange(id: id, state: state, revision: revision)
    }

    /// Waits on a loop for the change that `isSatisfied` wants, while `meanwhile` runs.
    private func ending(
        _ watch: JobWatch, atMost limit: Duration = .seconds(20),
        until isSatisfied: @escaping @Sendable (JobChange) -> Bool = { $0.state?.isFinal == true },
        meanwhile: @escaping @Sendable () -> Void
    ) async throws -> JobState?? {
        let loop = try EventLoop(name: "watch")
        loop.start()
        defer { loop.stop() }
        let id = id
        return await withCheckedContinuation { continuation in
            loop.execute {
                watch.wait(for: id, on: loop, atMost: limit, until: isSatisfied) { ending in
                    switch ending {
                    case .changed(let change): continuation.resume(returning: .some(change.state))
                    case .timedOut, .refused: continuation.resume(returning: nil)
                    }
                }
                meanwhile()
            }
        }
    }

    @Test func `ends its waits when changes may be missing, and takes further ones`() async throws {
        let watch = JobWatch()
        #expect(try await ending(watch) { watch.release() } == .none)
        let done = change(.succeeded)
        #expect(try await ending(watch) { watch.observe([done]) } == .some(.succeeded))
    }

    @Test func `reports the awaited change and no other`() async throws {
        let watch = JobWatch()
        let other = JobChange(id: JobID(high: 9, low: 9), state: .failed, revision: 2)
        let running = change(.running)
        let done = change(.succeeded, revision: 3)
        let told = try await ending(watch) {
            watch.observe([other])
            watch.observe([running])
            watch.observe([done, running])
        }
        #expect(told == .some(.succeeded))
        #expect(watch.waitingCount == 0)
    }

    @Test func `ends a wait when its time is over`() async throws {
        let watch = JobWatch()
        let told = try await ending(watch, atMost: .milliseconds(20)) {}
        #expect(told == nil)
        #expect(watch.waitingCount == 0)
    }

    @Test func `ends a wait for a job that is erased`() async throws {
        let watch = JobWatch()
        let erased = change(nil)
        let told = try await ending(watch) { watch.observe([erased]) }
        #expect(told == .some(nil))
    }

    @Test func `ends all waits of a server that stops`() async throws {
        let watch = JobWatch()
        let told = try await ending(watch) {
            #expect(watch.waitingCount == 1)
            watch.close()
        }
        #expect(told == nil)
        #expect(watch.waitingCount == 0)
        let late = try await ending(watch) { #expect(watch.waitingCount == 0) }
        #expect(late == nil)
    }

    @Test func `says that it refuses a wait beyond its limit, at once`() async throws {
        let watch = JobWatch(waitersMax: 1)
        let loop = try EventLoop(name: "watch")
        loop.start()
        defer { loop.stop() }
        let id = id
        let isRefused: Bool = await withCheckedContinuation { continuation in
            loop.execute {
                watch.wait(for: id, on: loop, atMost: .seconds(20), until: { _ in true }) { _ in }
                watch.wait(for: id, on: loop, atMost: .seconds(20), until: { _ in true }) { ending in
                    if case .refused = ending {
                        continuation.resume(returning: true)
                    } else {
                        continuation.resume(returning: false)
                    }
                }
            }
        }
        #expect(isRefused)
        #expect(watch.waitingCount == 1)
    }

    @Test func `does not call back for a wait that was abandoned`() async throws {
        let watch = JobWatch()
        let loop = try EventLoop(name: "watch")
        loop.start()
        defer { loop.stop() }
        let calls = CallCount()
        let done = change(.succeeded)
        let id = id
        let abandoned: (Bool, Bool) = await withCheckedContinuation { continuation in
            loop.execute {
                let waiter = watch.wait(for: id, on: loop, atMost: .seconds(20), until: { _ in true }) { _ in
                    calls.value.wrappingAdd(1, ordering: .relaxed)
                }
                let first = watch.abandon(waiter)
                watch.observe([done])
                let second = watch.abandon(waiter)
                loop.execute { continuation.resume(returning: (first, second)) }
            }
        }
        #expect(abandoned == (true, false))
        #expect(calls.value.load(ordering: .relaxed) == 0)
    }
}

private final class CallCount: Sendable {
    let value = Atomic<Int>(0)
}
