extension OperationSpec {
    /// The operations inside that have names of their own.
    public var members: [OperationSpec] {
        switch kind {
        case .group(let group): group.operations + group.finals
        case .gate(let gate): [gate.operation]
        case .wrapper(let wrapper): [wrapper.operation]
        default: []
        }
    }

    /// The member that was added last, what comes finally left out; nil when it is no group or has none.
    public var latestMember: OperationSpec? {
        guard case .group(let group) = kind else { return nil }
        return group.operations.last
    }

    /// Whether it has something to do finally, or something inside of it has.
    public var hasFinally: Bool {
        if case .group(let group) = kind, !group.finals.isEmpty { return true }
        return members.contains { $0.hasFinally } || copied?.hasFinally == true
    }

    /// The operation inside of which there are as many as the run brings about, called `1`, `2`, ….
    public var copied: OperationSpec? {
        switch kind {
        case .repeat(let rule): rule.operation
        case .group(let group): group.each?.operation
        default: nil
        }
    }

    /// The call that it makes; nil when it makes none.
    public var call: NetworkSpec? {
        switch kind {
        case .network(let call): call
        case .download(let download): download.call
        case .poll(let poll): poll.call
        case .notify(let notification): notification.call
        default: nil
        }
    }

    /// Whether it runs other operations.
    public var hasInner: Bool { !members.isEmpty || copied != nil }
}
