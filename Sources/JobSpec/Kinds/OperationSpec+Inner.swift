import JobKit
internal import StrictJSON

extension OperationSpec {
    /// The inner operations with distinct names.
    package var members: [OperationSpec] { kind.work.inner }

    /// The inner operation with a name.
    package func member(named name: String) -> OperationSpec? {
        members.first { $0.name.hasSameBytes(as: name) }
    }

    /// The operation at a path below it: by the names of members, and the numbers of copies, whether or not there are
    /// so many.
    package func inner(at path: [String]) -> OperationSpec? {
        var operation = self
        for step in path {
            let copied = Int(step).map { $0 >= 1 } == true ? operation.copied : nil
            guard let inner = operation.member(named: step) ?? copied else { return nil }
            operation = inner
        }
        return operation
    }

    /// The dependencies of each member as the plan shows them, in the order of `members`: written edges, edges implied
    /// by references, and in an ordered group the previous step.
    package var memberEdges: [[AfterEdge]] {
        let members = members
        guard let group, group.ordered else { return members.map(\.after) }
        return members.enumerated().map { index, member in
            let isFollower = index > 0 && index < group.operations.count
            return isFollower ? member.edges(behind: members[index - 1]).map(\.shown) : member.after
        }
    }

    /// The names of the siblings that each member follows, by its name. Final members follow all others.
    package var memberPredecessors: [String: [String]] {
        let members = members
        let ordinary = members.prefix(members.count - finals.count).map(\.name)
        var found: [String: [String]] = [:]
        for (index, edges) in memberEdges.enumerated() {
            found[members[index].name] = index < ordinary.count ? edges.map(\.operation) : ordinary
        }
        return found
    }

    /// The edges of a member, one for each sibling that it follows: those of the plan and of the run.
    ///
    /// A written edge to the previous step of an ordered group replaces that of the order. One that a reference implies
    /// does not: the stronger one counts, which is the order, unless the reference needs a result.
    /// - Parameter step: the previous step of an ordered group; nil when the order implies nothing.
    func edges(behind step: OperationSpec?) -> [MemberEdge] {
        var edges = after.map {
            MemberEdge(operation: $0.operation, requirement: $0.states.requirement, isImplied: $0.isImplied)
        }
        guard let step else { return edges }
        let order = MemberEdge(
            operation: step.name, requirement: .orderly(failureCounts: step.onFailure == .fail),
            isImplied: true)
        guard let place = after.firstIndex(where: { $0.operation == step.name }) else {
            return edges + [order]
        }
        if after[place].isImplied, after[place].states == .any { edges[place] = order }
        return edges
    }

    /// An edge to a sibling with what the run requires of it.
    struct MemberEdge: Sendable {
        let operation: String
        let requirement: OperationSettings.Requirement
        let isImplied: Bool

        /// The edge in the words of specs.
        var shown: AfterEdge {
            let states: EdgeStates =
                switch requirement {
                case .named(.succeeded), .orderly(failureCounts: true): .succeeded
                case .named(.failed): EdgeStates([.failed])
                case .states(let states): EdgeStates(states)
                case .named(.finished), .orderly, .undisturbed: .any
                }
            return AfterEdge(operation: operation, states: states, isImplied: isImplied)
        }
    }

    /// The inner operations that run at the end.
    package var finals: [OperationSpec] { kind.work.finals }

    /// The inner operation of which there are as many copies as the run creates, named `1`, `2`, ….
    package var copied: OperationSpec? { kind.work.copied }

    /// The group that it is; nil when it is none.
    package var group: GroupSpec? { kind.work as? GroupSpec }

    /// The member that was added last, without the final ones; nil for other kinds and empty groups.
    package var latestMember: OperationSpec? { group?.operations.last }

    /// Whether it has something to do finally, or something inside of it has.
    package var hasFinally: Bool {
        !finals.isEmpty || members.contains { $0.hasFinally } || copied?.hasFinally == true
    }

    /// Whether it is repeated until something is reached.
    package var isRepeatedUntil: Bool { (kind.work as? RepeatSpec)?.until != nil }

    /// The call that it makes; nil when it makes none.
    package var call: NetworkSpec? { kind.work.outgoingCall }

    /// Whether it makes a call.
    package var makesCall: Bool { kind.work.makesCall }

    /// Whether it runs other operations.
    package var hasInner: Bool { kind.hasInner }

    /// See `OperationWork.writtenCount`.
    var writtenCount: Int { kind.work.writtenCount }
}
