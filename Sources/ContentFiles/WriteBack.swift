import Glibc
import HTTPMessage
import Synchronization

// DESIGN
// The system keeps what is written in memory until it has gigabytes, and then writes all of it while the store waits
// for the disk: a commit takes as long as everything that was written before it. So the pieces of large content go to
// the disk as they come, and content waits while too many are on their way.

/// The content on its way to the disk.
final class WriteBack: Backpressure {
    private struct Load {
        var bytes = 0
        var waiters: [@Sendable () -> Void] = []
    }

    /// The size of a piece.
    static let pieceBytes = 1 << 20
    /// The bytes on their way from which content waits, and those at which it goes on.
    private static let (bytesMax, bytesAgain) = (16 << 20, 8 << 20)

    private let workers: ArtifactWorkers
    private let load = Mutex(Load())

    init(_ workers: ArtifactWorkers) { self.workers = workers }

    var isOn: Bool { load.withLock { $0.bytes > Self.bytesMax } }

    func whenOff(_ then: @escaping @Sendable () -> Void) {
        let waits = load.withLock { load in
            if load.bytes > Self.bytesMax { load.waiters.append(then) }
            return load.bytes > Self.bytesMax
        }
        if !waits { then() }
    }

    /// Writes a part of a file to the disk, on a worker.
    func write(_ file: ArtifactFile, _ part: Range<Int>) {
        load.withLock { $0.bytes += part.count }
        workers.add { [self] in
            file.writeBack(part)
            let waiters = load.withLock { load -> [@Sendable () -> Void] in
                load.bytes -= part.count
                guard load.bytes <= Self.bytesAgain else { return [] }
                defer { load.waiters = [] }
                return load.waiters
            }
            for waiter in waiters { waiter() }
        }
    }
}
