internal import JobKit
internal import StrictJSON

extension JobFacts {
    /// - Parameter environment: has the job's id as its seed.
    init(_ spec: JobSpec, environment: borrowing OperationEnvironment) {
        id = environment.seed
        name = spec.operation.name
        queue = spec.queue
        priority = spec.priority
        labels = .object(
            JSONObject(uniqueMembers: spec.labels.map { .init(name: $0.key, value: .string($0.value)) }))
        if let metadata = spec.metadata { self.metadata = .object(metadata) }
        submittedAt = environment.submittedAt
        scheduledFor = spec.scheduledFor
        delivery = spec.delivery
    }
}
