import HTTPMessage
import JobKit
import Logging

// region: queue
/// A queue whose operations are logged, measured and traced.
func observedQueue(_ transport: some Transport) -> AOperationQueue {
    var environment = OperationEnvironment(transport: TracedTransport(transport: transport))
    environment.observers = [
        LoggingObserver(to: SwiftLog(logger: Logger(label: "operations"))),
        MetricsObserver(to: SwiftMetrics()),
    ]
    environment.tracer = SwiftTracing()
    return AOperationQueue(environment: environment)
}
// end
