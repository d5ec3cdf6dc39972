public import JobKit

extension AOperationQueue {
    /// A queue whose operations make their calls with `transport`.
    /// - Parameters:
    ///   - name: its name in explanations.
    ///   - capacity: the number of operations executed at once; nil is no limit.
    ///   - transport: `.curl`, or any other transport.
    public convenience init(name: String = "queue", capacity: Int? = nil, transport: some Transport) {
        self.init(
            name: name, capacity: capacity, environment: OperationEnvironment(transport: transport))
    }
}
