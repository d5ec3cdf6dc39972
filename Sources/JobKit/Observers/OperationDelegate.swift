/// The owner of an operation: told about events before the observers are, and referenced weakly.
public protocol OperationDelegate: AnyObject, Sendable {
    /// Something happened. Called one at a time per operation; must not block.
    func operation(_ operation: OperationInfo, did event: OperationEvent)
}

struct DelegateObserver: OperationObserver {
    weak let delegate: (any OperationDelegate)?

    func operation(_ operation: OperationInfo, did event: OperationEvent) {
        delegate?.operation(operation, did: event)
    }
}

extension OperationConvertible {
    /// Tells `delegate` about events, before all observers. A later delegate replaces an earlier one.
    public func delegate(_ delegate: any OperationDelegate) -> OperationRecipe<Output> {
        var copy = recipe
        copy.settings.observers.removeAll { $0 is DelegateObserver }
        copy.settings.observers.insert(DelegateObserver(delegate: delegate), at: 0)
        return copy
    }
}
