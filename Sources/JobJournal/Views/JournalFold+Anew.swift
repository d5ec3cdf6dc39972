package import JobKit
package import JobSpec
internal import StrictJSON

extension JournalFold {
    /// Resets operations that had succeeded and must run again after a retry: the `finally` operations of a retried
    /// group, also where that ends without them, and the runs of a repetition whose `until` was not reached. For a fold
    /// of all entries.
    /// - Parameter root: the root operation.
    package mutating func beginAnew(in root: OperationSpec) {
        guard let retriedAt, root.hasFinally || root.hasRunsUntil else { return }
        var places: Set<[String]> = []
        var runs: Set<[String]> = []
        collect(root, at: [], isOver: false, copies(of: root), into: &places, runs: &runs)
        if places.isEmpty { return }
        for path in Array(histories.keys) {
            guard (0...path.count).contains(where: { places.contains(Array(path.prefix($0))) }) else {
                continue
            }
            histories[path]?.beginAnewOnPurpose(at: retriedAt)
        }
        spendApprovals(of: runs)
    }

    /// An approval of an operation with members is for running these once: when finished runs are repeated, approvals
    /// of the enclosing and of the inner operations no longer count.
    private mutating func spendApprovals(of runs: Set<[String]>) {
        guard !runs.isEmpty, histories.values.contains(where: { $0.approvals.contains(where: \.isEarlier) })
        else { return }
        let redone = histories.filter { path, history in
            history.timesAnew > 0 && (0...path.count).contains { runs.contains(Array(path.prefix($0))) }
        }.keys
        for path in Array(histories.keys) where redone.contains(where: { $0.starts(with: path) }) {
            histories[path]?.spendEarlierApprovals()
        }
    }

    /// Finds the paths below which everything starts over.
    /// - Parameter isOver: whether one around it has ended in this try.
    private func collect(
        _ operation: OperationSpec, at path: [String], isOver: Bool, _ copies: [[String]: Int],
        into places: inout Set<[String]>, runs: inout Set<[String]>
    ) {
        let history = path.isEmpty ? nil : histories[path]
        if let history, history.ending != nil, history.isKept { return }
        let isOver = isOver || history?.ending != nil
        for member in operation.members {
            collect(member, at: path + [member.name], isOver: isOver, copies, into: &places, runs: &runs)
        }
        if let copied = operation.copied, let count = copies[path] {
            for number in 1..<(count + 1) {
                let inner = path + [String(number)]
                collect(copied, at: inner, isOver: isOver, copies, into: &places, runs: &runs)
            }
        }
        for final in operation.finals { places.insert(path + [final.name]) }
        guard operation.isRepeatedUntil, !isOver else { return }
        for number in 1..<((copies[path] ?? 0) + 1) {
            places.insert(path + [String(number)])
            runs.insert(path + [String(number)])
        }
    }

    /// The number of known copies of each operation's inner operation.
    package func copies(of root: OperationSpec) -> [[String]: Int] {
        var copies: [[String]: Int] = [:]
        guard root.makesCopies else { return copies }
        for path in histories.keys {
            guard let last = path.last, let number = Int(last) else { continue }
            let parent = Array(path.dropLast())
            copies[parent] = max(number, copies[parent] ?? 0)
        }
        for (path, history) in histories {
            if case .array(let items)? = history.notes[NoteName.items] { copies[path] = items.count }
        }
        return copies
    }
}

extension OperationHistory {
    /// Whether it started, or ended, in the current try.
    var isOfThisTry: Bool { !isKept && (startedAt != nil || ending != nil) }

    fileprivate mutating func spendEarlierApprovals() {
        for index in approvals.indices where approvals[index].isEarlier { approvals[index].isSpent = true }
    }

    /// Starts over although it succeeded, with a new list of elements or a new choice. An operation that has started in
    /// this try continues.
    fileprivate mutating func beginAnewOnPurpose(at now: Timestamp) {
        if isKept {
            begAnew(at: now, always: true)
        } else if !isOfThisTry {
            for name in NoteName.decisions { notes[name] = nil }
        }
    }
}

extension OperationSpec {
    /// Whether it contains operations that are created at run time.
    fileprivate var makesCopies: Bool { copied != nil || members.contains(where: \.makesCopies) }

    /// Whether it, or an operation inside it, is repeated until a condition holds.
    fileprivate var hasRunsUntil: Bool {
        if isRepeatedUntil { return true }
        return members.contains { $0.hasRunsUntil } || copied?.hasRunsUntil == true
    }
}
