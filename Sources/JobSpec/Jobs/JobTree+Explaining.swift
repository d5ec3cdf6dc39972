package import JobKit
internal import Synchronization

extension JobTree.Root {
    /// Why everything in the tree that is not over is where it is, each operation before those inside of it.
    /// - Parameter limit: how many are explained at most.
    package func explain(limit: Int = 200) -> [OperationExplanation] {
        var list: [OperationExplanation] = []
        core.explain(into: &list, limit: limit)
        return list
    }
}

extension OperationCore {
    fileprivate func explain(into list: inout [OperationExplanation], limit: Int) {
        guard list.count < limit, ending == nil else { return }
        list.append(explanation())
        for child in parts.withLock({ $0.links.children }) { child.explain(into: &list, limit: limit) }
    }
}
