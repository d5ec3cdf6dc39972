import HTTPMessage
import Synchronization

// DESIGN
// The system keeps what is written in memory until it has gigabytes, and then writes all of it while the store waits
// for the disk: a commit takes as long as everything that was written before it. So the pieces of large content go to
// the disk as they come, and content waits while too many are on their way.

/// The content on its way to the disk: in memory, or being written.
final class WriteBack: Backpressure {
    private struct Load {
        var bytes = 0
        var waiters: [@Sendable () -> Void] = []
    }

    /// The part of a file that goes to the disk at once.
    static let partBytes = 1 << 20
    /// The bytes on their way from which content waits, and those at which it goes on.
    private static let (bytesMax, bytesAgain) = (16 << 20, 8 << 20)

    private let load = Mutex(Load())

    /// The content that is to be written.
    var bytes: Int { load.withLock { $0.bytes } }

    var isOn: Bool { bytes > Self.bytesMax }

    func whenOff(_ then: @escaping @Sendable () -> Void) {
        let waits = load.withLock { load in
            if load.bytes > Self.bytesMax { load.waiters.append(then) }
            return load.bytes > Self.bytesMax
        }
        if !waits { then() }
    }

    /// Counts content that is to be written.
    func begin(_ bytes: Int) { load.withLock { $0.bytes += bytes } }

    /// Counts content that was written, or will not be.
    func end(_ bytes: Int) {
        let waiters = load.withLock { load -> [@Sendable () -> Void] in
            load.bytes -= bytes
            guard load.bytes <= Self.bytesAgain else { return [] }
            defer { load.waiters = [] }
            return load.waiters
        }
        for waiter in waiters { waiter() }
    }
}
