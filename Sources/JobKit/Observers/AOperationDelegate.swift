/// The owner of an operation: told about events before the observers are, and referenced weakly.
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
    /// Tells `delegate` about events, before all observers. A later delegate replaces an earlier one.
    public func delegate(_ delegate: any AOperationDelegate) -> AOperationRecipe<Output> {
        var copy = recipe
        copy.settings.observers.removeAll { $0 is DelegateObserver }
        copy.settings.observers.insert(DelegateObserver(delegate: delegate), at: 0)
        return copy
    }
}
