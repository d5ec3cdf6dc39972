public import JobKit

extension AOperationQueue {
    /// A queue whose operations make their calls with `transport`.
    /// - Parameters:
    ///   - transport: `.curl`, or any other transport.
    ///   - name: its name in explanations.
    ///   - capacity: the number of operations executed at once; nil is no limit.
    public convenience init(transport: some Transport, name: String = "queue", capacity: Int? = nil) {
        self.init(
            name: name, capacity: capacity, environment: AOperationEnvironment(transport: transport))
    }
}
