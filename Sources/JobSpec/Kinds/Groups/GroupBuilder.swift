internal import JobKit
internal import Synchronization

/// Adds the members of a group to its scope: the initial ones, and those that are added later.
final class GroupBuilder: Sendable {
    typealias Edge = OperationSpec.MemberEdge

    private struct Members {
        var handles: [String: OperationHandle<OperationResult>] = [:]
        var last: OperationSpec?
    }

    private let compiler: SpecCompiler
    private let group: GroupSpec
    private let path: [String]
    private let outer: SpecPlace
    private let scope: GroupScope
    private let members = Mutex(Members())
    /// The names of the initial members, and of all including the final ones.
    private let ordinary: Set<String>
    private let all: Set<String>

    init(
        _ compiler: SpecCompiler, _ group: GroupSpec, at path: [String], in outer: SpecPlace,
        _ scope: GroupScope
    ) {
        self.compiler = compiler
        self.group = group
        self.path = path
        self.outer = outer
        self.scope = scope
        ordinary = Set(group.operations.map(\.name))
        all = ordinary.union(group.finals.map(\.name))
    }

    /// Adds an initial member, after all its dependencies.
    func add(_ spec: OperationSpec, _ edges: [Edge]) {
        add(spec, edges, siblings: ordinary)
    }

    /// Adds a member that runs at the very end and sees how all others ended. Its edges lead to other final members
    /// only.
    func addFinally(_ spec: OperationSpec, _ edges: [Edge]) {
        add(spec, edges, siblings: all, isFinal: true)
    }

    /// Called when all initial members have been added.
    func built() { members.withLock { $0.last = group.operations.last } }

    /// Adds a member to the running group, in an ordered one after the last.
    func addLate(_ spec: OperationSpec) {
        let (last, names) = members.withLock { members in
            defer { members.last = spec }
            return (members.last, Set(members.handles.keys))
        }
        add(spec, spec.edges(behind: group.ordered ? last : nil), siblings: names.union([spec.name]))
    }

    private func add(
        _ spec: OperationSpec, _ edges: [Edge], siblings: Set<String>, isFinal: Bool = false
    ) {
        let place = SpecPlace.member(groupPath: path, siblings: siblings, outer: outer)
        let memberPath = path + [spec.name]
        var recipe = compiler.recipe(for: spec, at: place, path: memberPath)
        let handles = members.withLock { $0.handles }
        recipe.settings.edges += edges.compactMap { edge in
            handles[edge.operation].map { .init(core: $0.core, requirement: edge.requirement) }
        }
        let board = compiler.board
        let counts = spec.onFailure == .fail
        let handle =
            isFinal
            ? scope.addFinally(recipe, failureCounts: counts) { board.post($0, at: memberPath) }
            : scope.add(recipe, failureCounts: counts) { board.post($0, at: memberPath) }
        members.withLock { $0.handles[spec.name] = handle }
    }
}
