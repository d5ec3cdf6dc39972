internal import Synchronization

/// A target for the operations of a chain that was tried before: up to the first one that did not succeed it returns
/// those of the attempt before, with their values.
final class ResumingTarget: OperationTarget {
    private let scope: GroupScope
    private let earlier: [any Sendable]
    private let isResuming = Mutex(true)

    /// - Parameter earlier: the handles of the attempt before, in order.
    init(_ scope: GroupScope, after earlier: [any Sendable]) {
        self.scope = scope
        self.earlier = earlier
    }

    func add<Output>(_ operation: some OperationConvertible<Output>) -> OperationHandle<Output> {
        let index = scope.links.count
        let known = earlier.indices.contains(index) ? earlier[index] as? OperationHandle<Output> : nil
        let handle: OperationHandle<Output>
        if let known, known.ending?.state == .succeeded, isResuming.withLock({ $0 }) {
            handle = known
        } else {
            isResuming.withLock { $0 = false }
            handle = scope.add(operation)
        }
        scope.keep(link: handle)
        return handle
    }
}
