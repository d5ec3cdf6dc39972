internal import JobKit
internal import StrictJSON

extension JobFacts {
    /// - Parameter environment: has the job's id as its seed.
    convenience init(_ spec: JobSpec, environment: borrowing OperationEnvironment) {
        self.init(
            id: environment.seed, name: spec.operation.name, queue: spec.queue, priority: spec.priority,
            labels: .object(
                JSONObject(
                    uniqueMembers: spec.labels.map { .init(name: $0.key, value: .string($0.value)) })),
            metadata: spec.metadata.map { .object($0) } ?? .null, submittedAt: environment.submittedAt,
            scheduledFor: spec.scheduledFor, delivery: spec.delivery)
    }
}
