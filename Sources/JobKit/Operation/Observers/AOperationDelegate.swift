/// Whoever an operation belongs to: told what happens before its observers are, and not kept alive by it.
public protocol AOperationDelegate: AnyObject, Sendable {
    /// Something happened. Called one at a time per operation; must not block.
    func operation(_ operation: AOperationInfo, did event: AOperationEvent)
}

struct DelegateObserver: AOperationObserver {
    weak let delegate: (any AOperationDelegate)?

    func operation(_ operation: AOperationInfo, did event: AOperationEvent) {
        delegate?.operation(operation, did: event)
    }
}

extension AOperationConvertible {
    /// Tells `delegate` what happens, before all observers. The last one named counts.
    public func delegate(_ delegate: any AOperationDelegate) -> AOperationRecipe<Output> {
        var copy = recipe
        copy.settings.observers.removeAll { $0 is DelegateObserver }
        copy.settings.observers.insert(DelegateObserver(delegate: delegate), at: 0)
        return copy
    }
}
