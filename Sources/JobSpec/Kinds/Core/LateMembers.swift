internal import JobKit
internal import Synchronization

// DESIGN
// A member may be added to a group while the group runs, and must never be accepted by one that has ended. So an
// addition first keeps the group open (`reserve`), is then stored, and finally joins (`settle`). A group that has not
// started collects additions and includes them when it starts.

/// Adds members to the groups of one running tree.
final class LateMembers: Sendable {
    /// A group that is being executed.
    struct Live: Sendable {
        let scope: GroupScope
        let add: @Sendable (OperationSpec) -> Void
    }

    private struct State {
        var live: [[String]: Live] = [:]
        /// Groups that have ended. Not retained, since they retain the tree, and so this object.
        var over: Set<[String]> = []
        var reservations: [[String]: Int] = [:]
        var waiting: [[String]: [OperationSpec]] = [:]
        var joined: [[String]: [OperationSpec]] = [:]
        var isSuspended = false
    }

    private let state = Mutex(State())

    /// Registers the running group at `path`; returns the members added before.
    func open(_ path: [String], _ group: Live) -> [OperationSpec] {
        state.withLock { state in
            state.live[path] = group
            state.over.remove(path)
            for _ in 0..<(state.reservations[path] ?? 0) { _ = group.scope.reserve() }
            return state.waiting.removeValue(forKey: path) ?? []
        }
    }

    /// Unregisters the group at `path`.
    func close(_ path: [String]) {
        state.withLock { state in
            state.live[path] = nil
            state.over.insert(path)
        }
    }

    /// Keeps the group at `path` open until `settle`; false when all its members have finished already.
    func reserve(_ path: [String]) -> Bool {
        state.withLock { state in
            if state.isSuspended || state.over.contains(path) { return false }
            if let group = state.live[path], !group.scope.reserve() { return false }
            state.reservations[path, default: 0] += 1
            return true
        }
    }

    /// Ends one reservation; `spec` joins the group, if any.
    func settle(_ path: [String], _ spec: OperationSpec?) {
        let (group, wasReserved) = state.withLock { state -> (Live?, Bool) in
            let count = state.reservations[path] ?? 0
            state.reservations[path] = count > 1 ? count - 1 : nil
            if let spec {
                state.joined[path, default: []].append(spec)
                if state.live[path] == nil { state.waiting[path, default: []].append(spec) }
            }
            return (state.live[path], count > 0)
        }
        guard let group else { return }
        if let spec { group.add(spec) }
        if wasReserved { group.scope.unreserve() }
    }

    /// Ends all reservations and refuses new ones, since the tree is being suspended.
    func endReservations() {
        let open = state.withLock { state -> [(GroupScope, Int)] in
            defer { state.reservations = [:] }
            state.isSuspended = true
            return state.reservations.compactMap { path, count in state.live[path].map { ($0.scope, count) } }
        }
        for (scope, count) in open {
            for _ in 0..<count { scope.unreserve() }
        }
    }

    /// The members that joined the group at `path` in this run, in order.
    func members(of path: [String]) -> [OperationSpec] { state.withLock { $0.joined[path] ?? [] } }
}
