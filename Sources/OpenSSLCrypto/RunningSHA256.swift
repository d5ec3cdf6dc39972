import JobKit
import Synchronization

/// The SHA-256 digest (FIPS 180-4) of a stream.
package final class RunningSHA256: RunningDigest {
    private let context = Mutex(DigestContext())

    package init() {}

    package func update(_ bytes: Span<UInt8>) {
        context.withLock { $0.update(bytes) }
    }

    package func finish() -> [UInt8] {
        context.withLock { $0.finish() }
    }
}
