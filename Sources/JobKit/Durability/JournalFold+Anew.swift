internal import StrictJSON

extension JournalFold {
    /// After a person asked for another try: what succeeded before that, and is to run again all the same, begins anew.
    /// That is what comes finally in a group that is tried again, and the runs of a repetition that is to reach
    /// something and has not. For a fold of all entries.
    /// - Parameter root: the job's operation.
    public mutating func beginAnew(in root: OperationSpec) {
        guard let retriedAt, root.hasFinally || root.hasRunsUntil else { return }
        beginAnew(root, at: [], copies(of: root), retriedAt)
    }

    private mutating func beginAnew(
        _ operation: OperationSpec, at path: [String], _ copies: [[String]: Int], _ now: Timestamp
    ) {
        if !path.isEmpty, histories[path]?.ending != nil { return }
        for member in operation.members { beginAnew(member, at: path + [member.name], copies, now) }
        if let copied = operation.copied, let count = copies[path] {
            for number in 1..<(count + 1) { beginAnew(copied, at: path + [String(number)], copies, now) }
        }
        switch operation.kind {
        case .group(let group):
            for final in group.finals { beginAnew(inside: path + [final.name], now) }
        case .repeat(let rule) where rule.until != nil: beginAnew(inside: path, now)
        default: break
        }
    }

    private mutating func beginAnew(inside place: [String], _ now: Timestamp) {
        for (path, history) in histories where history.isKept && path.starts(with: place) {
            histories[path]?.begAnew(at: now, always: true)
        }
    }

    /// How many copies of its inner operation each operation is known to have made.
    func copies(of root: OperationSpec) -> [[String]: Int] {
        var copies: [[String]: Int] = [:]
        guard root.makesCopies else { return copies }
        for (path, history) in histories {
            if case .array(let items)? = history.notes[EachSpec.itemsNote] {
                copies[path] = max(items.count, copies[path] ?? 0)
            }
            guard let last = path.last, let number = Int(last) else { continue }
            let parent = Array(path.dropLast())
            copies[parent] = max(number, copies[parent] ?? 0)
        }
        return copies
    }
}

extension OperationSpec {
    /// Whether there are operations inside that only the run brings about.
    fileprivate var makesCopies: Bool { copied != nil || members.contains(where: \.makesCopies) }

    /// Whether it, or something inside of it, is repeated until something is reached.
    fileprivate var hasRunsUntil: Bool {
        if case .repeat(let rule) = kind, rule.until != nil { return true }
        return members.contains { $0.hasRunsUntil } || copied?.hasRunsUntil == true
    }
}
