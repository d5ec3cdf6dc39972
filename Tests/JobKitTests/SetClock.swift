import Synchronization

@testable import JobKit

/// A clock that can be set, while time passes normally.
final class SetClock: OperationClock {
    private let time: ManualClock
    private let ahead = Mutex(Duration.zero)

    init(_ time: ManualClock) { self.time = time }

    var now: Timestamp { time.now.advanced(by: ahead.withLock { $0 }) }

    var uptime: Duration { time.uptime }

    func sleep(for duration: Duration) async throws { try await time.sleep(for: duration) }

    func sleep(untilUptime end: Duration) async throws { try await time.sleep(untilUptime: end) }

    func setForward(by duration: Duration) { ahead.withLock { $0 += duration } }
}
