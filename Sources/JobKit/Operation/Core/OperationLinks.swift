/// The links of an operation to others, until its end.
package struct OperationLinks {
    /// The dependencies, which must finish before it.
    var edges: [OperationSettings.Edge]
    /// The operations that depend on it.
    var dependants: [OperationCore] = []
    /// The number of waits of other operations' work for this one.
    var awaiterCount = 0
    package private(set) var children: [OperationCore] = []
    /// The number of children at which those that are over are forgotten.
    private var sweepCount = 64

    init(edges: [OperationSettings.Edge]) { self.edges = edges }

    /// - Returns: all children when it is time to forget those that are over.
    mutating func adopt(_ child: OperationCore) -> [OperationCore]? {
        children.append(child)
        return children.count >= sweepCount ? children : nil
    }

    /// Removes finished children.
    mutating func forget(_ over: Set<ObjectIdentifier>) {
        children.removeAll { over.contains(ObjectIdentifier($0)) }
        sweepCount = max(64, children.count * 2)
    }

    mutating func removeAll() {
        edges = []
        dependants = []
        children = []
    }
}
