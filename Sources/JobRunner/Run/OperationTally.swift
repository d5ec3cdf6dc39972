internal import JobJournal
internal import JobKit
internal import JobSpec
internal import JobStore
internal import StrictJSON

/// Counts the operations of a running job as their entries are recorded. Made from the fold when it is asked for first,
/// so that a job pays nothing whose progress interests no one.
struct OperationTally: Sendable {
    /// The number of ends that the pace is taken from, and the fewest.
    private static let endsMax = 64
    private static let endsMin = 5

    private let spec: JobSpec
    private var numbers: OperationCounts
    /// The times of the last ends, the latest last.
    private var ends: [Timestamp] = []
    /// Whether all operations are known as soon as their group begins.
    private let isForeseeable: Bool
    /// Whether the numbers must be made from the fold again.
    private(set) var isStale = false

    init(_ fold: JournalFold, of spec: JobSpec) {
        self.spec = spec
        isForeseeable = spec.operation.isForeseeable
        numbers = OperationCounts(JobRun.counts(fold.views(spec: spec, jobState: .running)))
        let times = fold.histories.lazy.compactMap { $0.key.isEmpty ? nil : $0.value.finishedAt }
        ends = times.sorted().suffix(Self.endsMax)
    }

    /// Counts from zero what entries change from now on, for a sum with a count that does not have them.
    init(changesOf spec: JobSpec) {
        self.spec = spec
        isForeseeable = spec.operation.isForeseeable
        numbers = OperationCounts(total: 0, done: 0, failed: 0)
    }

    /// The sum of a count and of what changed since then.
    func adding(_ changes: OperationTally) -> OperationTally {
        var sum = self
        sum.numbers.total += changes.numbers.total
        sum.numbers.done += changes.numbers.done
        sum.numbers.failed += changes.numbers.failed
        let lastEnd = ends.last
        sum.ends += changes.ends.drop { end in lastEnd.map { end < $0 } ?? false }
        sum.ends = sum.ends.suffix(Self.endsMax)
        sum.isStale = isStale || changes.isStale
        return sum
    }

    /// The number of operations that a count goes through.
    static func size(_ fold: JournalFold, of spec: JobSpec) -> Int { inside(spec.operation, fold, at: []) }

    var counts: OperationCounts {
        var counts = numbers
        guard isForeseeable, counts.done < counts.total, ends.count >= Self.endsMin,
            let first = ends.first, let last = ends.last, last > first
        else { return counts }
        let each = Double(last.since(first).wholeMilliseconds) / Double(ends.count - 1)
        let left = each * Double(counts.total - counts.done)
        counts.estimatedUntil = last.advanced(by: .milliseconds(Int64(left.rounded(.up))))
        return counts
    }

    /// Counts one more entry, which the fold does not have yet.
    mutating func note(_ entry: JournalEntry, before fold: JournalFold) {
        let path = entry.path
        let known = fold.histories[path]
        if known == nil, let number = path.last.flatMap({ Int($0) }), number > 0 {
            noteFirst(of: path, in: fold)
        }
        switch entry.event {
        case .message(let message):
            if case .member = message.content { isStale = true }
        case .finished(let ending):
            if path.isEmpty { return }
            if known?.ending != nil { return isStale = true }
            numbers.done += 1
            if ending.state.isFailure { numbers.failed += 1 }
            if known?.startedAt == nil, let operation = spec.operation.inner(at: path) {
                // Operations inside of one that never started end with it.
                numbers.done += Self.inside(operation, fold, at: path)
            }
            // What is inside of an ended part of a map over lines is forgotten.
            if known?.notes[NoteName.rest] != nil, ending.state == .succeeded { isStale = true }
            if let last = ends.last, entry.at < last { return }
            if ends.count == Self.endsMax { ends.removeFirst() }
            ends.append(entry.at)
        default:
            guard let count = entry.mappedCount, let copied = spec.operation.inner(at: path)?.copied else {
                return
            }
            if known?.notes[NoteName.items] != nil { return isStale = true }
            numbers.total += count * (1 + Self.inside(copied, fold, at: path + ["1"]))
        }
    }

    /// Counts the next run of a repetition; the members of a map are known by its list.
    private mutating func noteFirst(of path: [String], in fold: JournalFold) {
        let outer = Array(path.dropLast())
        guard fold.histories[outer]?.notes[NoteName.items] == nil,
            let copied = spec.operation.inner(at: outer)?.copied
        else { return }
        numbers.total += 1 + Self.inside(copied, fold, at: path)
    }

    /// The number of known operations inside of one.
    private static func inside(_ operation: OperationSpec, _ fold: JournalFold, at path: [String]) -> Int {
        var count = 0
        for member in operation.members {
            count += 1 + inside(member, fold, at: path + [member.name])
        }
        guard let copied = operation.copied,
            case .array(let items)? = fold.histories[path]?.notes[NoteName.items]
        else { return count }
        return count + items.count * (1 + inside(copied, fold, at: path + ["1"]))
    }
}

extension OperationSpec {
    /// Whether its number of operations does not grow while it runs: no repetition, pages or lines.
    fileprivate var isForeseeable: Bool {
        guard members.allSatisfy(\.isForeseeable) else { return false }
        guard let copied else { return true }
        return group?.each.map { $0.lines == nil } == true && copied.isForeseeable
    }
}
