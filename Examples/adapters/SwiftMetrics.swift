// region: metrics
import JobKit
import Metrics

/// Counts operations by name and end, and measures how long they waited and ran.
struct SwiftMetrics: OperationMetrics {
    func record(_ profile: OperationProfile) {
        let name = ("operation", profile.name)
        let state = ("state", profile.state?.rawValue ?? "unknown")
        Counter(label: "operations", dimensions: [name, state]).increment()
        if let waited = profile.waited {
            Timer(label: "operation_wait", dimensions: [name]).recordNanoseconds(
                Int64(waited / .nanoseconds(1)))
        }
        if let took = profile.took {
            Timer(label: "operation_duration", dimensions: [name, state])
                .recordNanoseconds(Int64(took / .nanoseconds(1)))
        }
    }
}
// end
