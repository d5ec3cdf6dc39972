package import JobKit
internal import Synchronization

extension JobTree.Root {
    /// The explanations of all unfinished operations in the tree, each before those inside it.
    /// - Parameter limit: the maximum number of explanations.
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
