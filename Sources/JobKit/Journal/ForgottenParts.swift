/// The entries of a journal inside of the ended parts of a map over lines, which no run reads any more.
///
/// The errors of members stay, the first thousand, and that a message was taken, which counts for the whole job.
package struct ForgottenParts: Sendable {
    /// The number of errors that stay.
    static let errorsMax = 1_000
    /// The bytes of errors after which no further one stays.
    static let errorBytesMax = 16 << 20

    private struct Failure {
        let number: Int64
        let part: Int
        let bytes: Int
    }

    /// The path of the map.
    package let map: [String]
    /// The number of its parts that have ended.
    package var count = 0
    /// The number of the last entry that was looked at.
    package private(set) var last: Int64 = 0
    private var ended: Set<Int> = []
    private var failures: [Failure] = []
    private var failureBytes = 0

    package init(of map: [String]) { self.map = map }

    /// Looks at the next entry.
    /// - Returns: the numbers of the entries to remove because of it.
    package mutating func take(_ entry: JournalEntry, number: Int64) -> [Int64] {
        last = number
        if case .retried = entry.event { return beginAnew() }
        guard let part = part(of: entry.path) else { return [] }
        if entry.path.count == map.count + 1 {
            if case .noted(NoteName.items, _) = entry.event { return [number] }
            if case .finished(let ending) = entry.event, ending.state == .succeeded { ended.insert(part) }
            return []
        }
        if case .took = entry.event { return [] }
        guard entry.path.count == map.count + 2, case .finished(let ending) = entry.event,
            ending.state == .failed || ending.state == .expired, failures.count < Self.errorsMax,
            failureBytes < Self.errorBytesMax
        else { return [number] }
        let bytes = ending.errors.reduce(0) { $0 + $1.byteCount }
        failures.append(Failure(number: number, part: part, bytes: bytes))
        failureBytes += bytes
        return []
    }

    /// The number of the ended part that has something inside; nil for all else.
    private func part(of path: [String]) -> Int? {
        guard path.count > map.count, path.prefix(map.count).elementsEqual(map),
            let number = Int(path[map.count]), number <= count
        else { return nil }
        return number
    }

    /// A failure in a part that had not succeeded was tried again.
    private mutating func beginAnew() -> [Int64] {
        let gone = failures.filter { !ended.contains($0.part) }
        failures.removeAll { !ended.contains($0.part) }
        failureBytes -= gone.reduce(0) { $0 + $1.bytes }
        return gone.map(\.number)
    }
}
