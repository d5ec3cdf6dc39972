internal import JobKit
internal import Synchronization

// DESIGN
// A member may be added to a group while the group runs, and must never be accepted by one that has ended. So an
// addition first keeps the group open (`reserve`), is then stored, and finally joins (`settle`). A group that has not
// started collects additions and includes them when it starts.

/// Adds members to the groups of one running tree.
final class MemberDesk: Sendable {
    /// A group that is being executed.
    struct Live: Sendable {
        let scope: GroupScope
        let add: @Sendable (OperationSpec) -> Void
    }

    private struct Desk {
        var live: [[String]: Live] = [:]
        /// Groups that have ended. Not retained, since they retain the tree, and so this object.
        var over: Set<[String]> = []
        var reservations: [[String]: Int] = [:]
        var waiting: [[String]: [OperationSpec]] = [:]
        var joined: [[String]: [OperationSpec]] = [:]
        var isSuspended = false
    }

    private let desk = Mutex(Desk())

    /// Registers the running group at `path`; returns the members added before.
    func open(_ path: [String], _ group: Live) -> [OperationSpec] {
        desk.withLock { desk in
            desk.live[path] = group
            desk.over.remove(path)
            for _ in 0..<(desk.reservations[path] ?? 0) { _ = group.scope.reserve() }
            return desk.waiting.removeValue(forKey: path) ?? []
        }
    }

    /// Unregisters the group at `path`.
    func close(_ path: [String]) {
        desk.withLock { desk in
            desk.live[path] = nil
            desk.over.insert(path)
        }
    }

    /// Keeps the group at `path` open until `settle`; false when all its members have finished already.
    func reserve(_ path: [String]) -> Bool {
        desk.withLock { desk in
            if desk.isSuspended || desk.over.contains(path) { return false }
            if let group = desk.live[path], !group.scope.reserve() { return false }
            desk.reservations[path, default: 0] += 1
            return true
        }
    }

    /// Ends one reservation; `spec` joins the group, if any.
    func settle(_ path: [String], _ spec: OperationSpec?) {
        let (group, wasReserved) = desk.withLock { desk -> (Live?, Bool) in
            let count = desk.reservations[path] ?? 0
            desk.reservations[path] = count > 1 ? count - 1 : nil
            if let spec {
                desk.joined[path, default: []].append(spec)
                if desk.live[path] == nil { desk.waiting[path, default: []].append(spec) }
            }
            return (desk.live[path], count > 0)
        }
        guard let group else { return }
        if let spec { group.add(spec) }
        if wasReserved { group.scope.unreserve() }
    }

    /// Ends all reservations and refuses new ones, since the tree is being suspended.
    func endReservations() {
        let open = desk.withLock { desk -> [(GroupScope, Int)] in
            defer { desk.reservations = [:] }
            desk.isSuspended = true
            return desk.reservations.compactMap { path, count in desk.live[path].map { ($0.scope, count) } }
        }
        for (scope, count) in open {
            for _ in 0..<count { scope.unreserve() }
        }
    }

    /// The members that joined the group at `path` in this run, in order.
    func members(of path: [String]) -> [OperationSpec] { desk.withLock { $0.joined[path] ?? [] } }
}
