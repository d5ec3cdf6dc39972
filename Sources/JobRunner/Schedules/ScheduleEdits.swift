internal import JobKit

/// The requests that wait to change a schedule until its planned times that are due have their jobs.
///
/// A request waits for a few rounds at most, so that a schedule that always has something to do can be changed: it then
/// decides itself about the planned times that are left.
struct ScheduleEdits {
    private struct Edit {
        let name: String
        let done: @Sendable () -> Void
        /// The round after which it was asked for.
        let round: Int
    }

    /// The maximum number of rounds that a request waits for.
    static let roundsMax = 20

    private var edits: [Edit] = []
    private var round = 0
    /// The schedules that have planned times which this round has not settled.
    private var unsettled: Set<String> = []

    /// Whether a request waits.
    var isEmpty: Bool { edits.isEmpty }

    mutating func begin(_ name: String, _ done: @escaping @Sendable () -> Void) {
        edits.append(Edit(name: name, done: done, round: round))
    }

    mutating func beginRound() {
        round += 1
        unsettled = []
    }

    /// The first schedules that are asked for.
    func names(limit: Int) -> [String] {
        var names: [String] = []
        for edit in edits where names.count < limit && !names.contains(edit.name) { names.append(edit.name) }
        return names
    }

    mutating func note(due names: [String]) {
        if !edits.isEmpty { unsettled = Set(names) }
    }

    mutating func settled(_ name: String) { unsettled.remove(name) }

    /// The requests that go on after this round.
    mutating func endRound() -> [@Sendable () -> Void] {
        if edits.isEmpty { return [] }
        var ending: [@Sendable () -> Void] = []
        edits.removeAll { edit in
            let isOver = !unsettled.contains(edit.name) || round - edit.round >= Self.roundsMax
            guard edit.round < round, isOver else { return false }
            ending.append(edit.done)
            return true
        }
        return ending
    }

    mutating func endAll() -> [@Sendable () -> Void] {
        defer { edits = [] }
        return edits.map(\.done)
    }
}
