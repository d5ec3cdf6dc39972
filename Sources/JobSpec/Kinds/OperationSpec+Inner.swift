extension OperationSpec {
    /// The inner operations with distinct names.
    public var members: [OperationSpec] { kind.work.inner }

    /// The inner operations that run at the end.
    public var finals: [OperationSpec] { kind.work.finals }

    /// The inner operation of which there are as many copies as the run creates, named `1`, `2`, ….
    public var copied: OperationSpec? { kind.work.copied }

    /// The group that it is; nil when it is none.
    public var group: GroupSpec? { kind.work as? GroupSpec }

    /// The member that was added last, without the final ones; nil for other kinds and empty groups.
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
