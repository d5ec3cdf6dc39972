extension OperationSpec {
    /// The operations inside that have names of their own.
    public var members: [OperationSpec] {
        switch kind {
        case .group(let group): group.operations
        case .gate(let gate): [gate.operation]
        default: []
        }
    }

    /// The operation inside of which there are as many as the run brings about, called `1`, `2`, ….
    public var copied: OperationSpec? {
        switch kind {
        case .repeat(let rule): rule.operation
        default: nil
        }
    }

    /// Whether it runs other operations.
    public var hasInner: Bool { !members.isEmpty || copied != nil }
}
