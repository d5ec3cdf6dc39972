import JobKit
import JobStore
import Synchronization

/// Counters of uploads.
final class UploadMetrics: Sendable {
    private let uploads = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)

    func count(_ upload: UploadRecord) {
        uploads.wrappingAdd(1, ordering: .relaxed)
        bytes.wrappingAdd(upload.artifact.bytes, ordering: .relaxed)
    }

    /// The number of uploads since the start, and of their bytes.
    var totals: (uploads: Int, bytes: Int) {
        (uploads.load(ordering: .relaxed), bytes.load(ordering: .relaxed))
    }
}
