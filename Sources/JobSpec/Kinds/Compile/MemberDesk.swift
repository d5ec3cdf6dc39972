internal import JobKit
internal import Synchronization

// DESIGN
// A member may be added to a group while the group runs, and must never be accepted by one that is over. So an addition
// first keeps the group open (`reserve`), is stored then, and joins at last (`settle`). A group that is not executed
// yet collects what comes and takes it along when it begins.

/// Members that are added to the groups of one running tree.
final class MemberDesk: Sendable {
    /// A group that is being executed.
    struct Live: Sendable {
        let scope: GroupScope
        let add: @Sendable (OperationSpec) -> Void
    }

    private struct Desk {
        var live: [[String]: Live] = [:]
        /// Groups that were executed and are over. Nothing of them is held: they hold on to the tree, and so to this.
        var over: Set<[String]> = []
        var reservations: [[String]: Int] = [:]
        var waiting: [[String]: [OperationSpec]] = [:]
        var joined: [[String]: [OperationSpec]] = [:]
        var isPutDown = false
    }

    private let desk = Mutex(Desk())

    /// The group at `path` is executed; returns the members that came before.
    func open(_ path: [String], _ group: Live) -> [OperationSpec] {
        desk.withLock { desk in
            desk.live[path] = group
            desk.over.remove(path)
            for _ in 0..<(desk.reservations[path] ?? 0) { _ = group.scope.reserve() }
            return desk.waiting.removeValue(forKey: path) ?? []
        }
    }

    /// The group at `path` is not executed any more.
    func close(_ path: [String]) {
        desk.withLock { desk in
            desk.live[path] = nil
            desk.over.insert(path)
        }
    }

    /// Keeps the group at `path` open until `settle`; false when all its members are finished already.
    func reserve(_ path: [String]) -> Bool {
        desk.withLock { desk in
            if desk.isPutDown || desk.over.contains(path) { return false }
            if let group = desk.live[path], !group.scope.reserve() { return false }
            desk.reservations[path, default: 0] += 1
            return true
        }
    }

    /// Ends one reservation; `spec` joins the group, nil when nothing does.
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

    /// Ends all reservations and takes no more: whoever made them finds the tree put down.
    func endReservations() {
        let open = desk.withLock { desk -> [(GroupScope, Int)] in
            defer { desk.reservations = [:] }
            desk.isPutDown = true
            return desk.reservations.compactMap { path, count in desk.live[path].map { ($0.scope, count) } }
        }
        for (scope, count) in open {
            for _ in 0..<count { scope.unreserve() }
        }
    }

    /// The members that joined the group at `path` in this run, in order.
    func members(of path: [String]) -> [OperationSpec] { desk.withLock { $0.joined[path] ?? [] } }
}
