extension OperationSpec {
    /// The operations inside that have names of their own.
    public var members: [OperationSpec] { kind.work.inner }

    /// Those of the operations inside that run at the very end.
    public var finals: [OperationSpec] { kind.work.finals }

    /// The operation inside of which there are as many as the run brings about, called `1`, `2`, ….
    public var copied: OperationSpec? { kind.work.copied }

    /// The group that it is; nil when it is none.
    public var group: GroupSpec? { kind.work as? GroupSpec }

    /// The member that was added last, what comes finally left out; nil when it is no group or has none.
    public var latestMember: OperationSpec? { group?.operations.last }

    /// Whether it has something to do finally, or something inside of it has.
    public var hasFinally: Bool {
        !finals.isEmpty || members.contains { $0.hasFinally } || copied?.hasFinally == true
    }

    /// Whether it is repeated until something is reached.
    package var isRepeatedUntil: Bool { (kind.work as? RepeatSpec)?.until != nil }

    /// The call that it makes; nil when it makes none.
    public var call: NetworkSpec? { kind.work.outgoingCall }

    /// Whether it runs other operations.
    public var hasInner: Bool { !members.isEmpty || copied != nil }

    /// See `OperationWork.writtenCount`.
    var writtenCount: Int { kind.work.writtenCount }
}
