import JobJournal
import JobKit
import JobSpec
import JobStore

/// The changes of one commit, as other servers read them: the jobs, their counts, requests to jobs in flight, and
/// whether settings changed.
struct CommitNews: Sendable {
    var changes: [JobChange] = []
    var counts = JobCounts()
    var changesSettings = false
    /// Requests to jobs in flight, which may run on any server.
    var requests: [RunRequest] = []
    /// The ends of jobs, for the statistics. Not in the stored form: a column of their own has them.
    var ends: [EndFacts] = []
    /// Messages to other servers.
    var messages: [ServerMessage] = []
    /// The earliest time at which a job changed by this commit becomes claimable.
    private(set) var firstClaimable: Timestamp?

    /// Whether nothing changed that others could notice.
    var isEmpty: Bool {
        changes.isEmpty && counts.isZero && !changesSettings && requests.isEmpty && messages.isEmpty
    }

    private static let version: UInt8 = 2
    private static let settingsFlag: UInt8 = 1
    private static let callbackFlag: UInt8 = 1
    private static let entriesFlag: UInt8 = 2
    private static let noState = UInt8.max
    /// The length of a change: id, state, revision, date, flags, length of the texts, which follow.
    private static let changeBytes = 16 + 1 + 8 + 8 + 1 + 2

    /// The length of the beginning of the stored form up to the counts.
    static let countsBytesMax = 2 + JobCounts.bytesMax

    init() {}

    /// The first values of the indexes that find claimable jobs, as far as the commit has some.
    var firsts: ScanFirsts {
        var firsts = ScanFirsts()
        for order in [ScanOrder.ready, .turn, .due] { firsts[order] = firstClaimable }
        return firsts
    }

    /// Notes the end of a job, if a transition made it.
    mutating func note(_ job: JobRecord, from before: JobRecord) {
        if !before.state.isFinal, let end = EndFacts(job) { ends.append(end) }
    }

    /// Notes the time from which on a job may be claimed that the commit changes.
    mutating func note(claimableAt time: Timestamp) {
        firstClaimable = min(firstClaimable ?? time, time)
    }

    /// The stored form: version, flags, counts that changed, requests, messages, changes, the first claimable time.
    func encoded() -> [UInt8] {
        var bytes: [UInt8] = [Self.version, changesSettings ? Self.settingsFlag : 0]
        counts.append(to: &bytes)
        bytes.append(number: Int64(requests.count))
        for request in requests {
            let entry = request.journal.encoded()
            bytes.append(number: request.id.high)
            bytes.append(number: request.id.low)
            bytes.append(number: request.number)
            bytes.append(number: Int64(entry.count))
            bytes += entry
        }
        bytes.append(number: Int64(messages.count))
        for message in messages { Self.append(message, to: &bytes) }
        bytes.reserveCapacity(bytes.count + changes.count * Self.changeBytes)
        for change in changes {
            bytes.append(number: change.id.high)
            bytes.append(number: change.id.low)
            bytes.append(change.state.map { UInt8($0.stored) } ?? Self.noState)
            bytes.append(number: change.revision)
            bytes.append(number: change.dueAt?.milliseconds ?? .min)
            bytes.append(
                (change.hasCallbacks ? Self.callbackFlag : 0)
                    | (change.hasOnlyEntries ? Self.entriesFlag : 0))
            Self.append(textsOf: change, to: &bytes)
        }
        if let firstClaimable { bytes.append(number: firstClaimable.milliseconds) }
        return bytes
    }

    private static func append(_ message: ServerMessage, to bytes: inout [UInt8]) {
        bytes.append(message.kind.rawValue)
        bytes.append(number: message.number)
        bytes.append(number: message.job.high)
        bytes.append(number: message.job.low)
        bytes.append(number: Int64(message.subject.utf8.count))
        bytes += message.subject.utf8
        bytes.append(number: Int64(message.body.count))
        bytes += message.body
    }

    private static func takeMessage(_ bytes: inout ArraySlice<UInt8>) -> ServerMessage? {
        guard bytes.count >= 33 else { return nil }
        let kind = ServerMessage.Kind(rawValue: bytes.removeFirst())
        let number = bytes.takeNumber()
        let job = JobID(high: bytes.takeNumber(), low: bytes.takeNumber())
        let subjectCount = Int(clamping: bytes.takeNumber())
        guard let kind, subjectCount <= bytes.count - 8 else { return nil }
        let subject = String(decoding: bytes.prefix(subjectCount), as: UTF8.self)
        bytes.removeFirst(subjectCount)
        let bodyCount = Int(clamping: bytes.takeNumber())
        guard bodyCount <= bytes.count else { return nil }
        defer { bytes.removeFirst(bodyCount) }
        return ServerMessage(
            kind, number: number, job: job, subject: subject, body: Array(bytes.prefix(bodyCount)))
    }

    /// Appends the texts that filters of changes compare, after their length: name and type, queue and other facts,
    /// labels. At most 40 KiB: a job keeps at most 120 waits, and an origin has at most 270 bytes.
    private static func append(textsOf change: JobChange, to bytes: inout [UInt8]) {
        let place = bytes.count
        bytes.append(0)
        bytes.append(0)
        PairCoding.append(change.name, to: &bytes)
        PairCoding.append(change.type, to: &bytes)
        PairCoding.append(change.queue, to: &bytes)
        PairCoding.append(facts(of: change), to: &bytes)
        for label in change.labels {
            PairCoding.append(label.key, to: &bytes)
            PairCoding.append(label.value, to: &bytes)
        }
        let length = bytes.count - place - 2
        bytes[place] = UInt8(truncatingIfNeeded: length >> 8)
        bytes[place + 1] = UInt8(truncatingIfNeeded: length)
    }

    /// The error code, the kinds of waits, the awaited origins, the call that failed and the key, a line each; empty
    /// without any.
    private static func facts(of change: JobChange) -> String {
        if change.endCode == nil, change.waitKinds.isEmpty, change.key == nil { return "" }
        let origins = change.awaitedOrigins.joined(separator: " ")
        let call = change.failedCall.map { call in
            "\(call.status.map { String($0) } ?? "") \(call.method) \(call.host) \(call.url)"
        }
        let isLine = call.map { !$0.utf8.contains(0x0A) } ?? false
        return
            "\(change.endCode ?? "")\n\(change.waitKinds.rawValue)\n\(origins)\n\(isLine ? call ?? "" : "")\n"
            + (change.key ?? "")
    }

    private static func call(_ line: String) -> CallFacts? {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(
            String.init)
        guard words.count == 4 else { return nil }
        var call = CallFacts()
        call.status = Int(words[0])
        (call.method, call.host, call.url) = (words[1], words[2], words[3])
        return call
    }

    private static func take(facts: String, of change: inout JobChange) {
        let lines = facts.split(separator: "\n", maxSplits: 4, omittingEmptySubsequences: false).map(
            String.init)
        guard lines.count == 5 else { return }
        change.endCode = lines[0].isEmpty ? nil : lines[0]
        change.waitKinds = WaitKinds(rawValue: Int64(lines[1]) ?? 0)
        change.awaitedOrigins = lines[2].split(separator: " ").map(String.init)
        change.failedCall = Self.call(lines[3])
        change.key = lines[4].isEmpty ? nil : lines[4]
    }

    /// Whether this program knows the form of stored news, or of their beginning.
    fileprivate static func isKnown(_ bytes: [UInt8]) -> Bool { bytes.count > 2 && bytes[0] == version }

    /// Reads the stored form. A newer program may have written more than this one knows: then it is empty.
    init(decoding bytes: [UInt8]) {
        guard Self.isKnown(bytes) else { return }
        changesSettings = bytes[1] & Self.settingsFlag != 0
        var rest = bytes[2...]
        counts = JobCounts(decoding: &rest)
        guard rest.count >= 8 else { return }
        for _ in 0..<rest.takeNumber() {
            guard rest.count >= 32 else { return }
            let id = JobID(high: rest.takeNumber(), low: rest.takeNumber())
            let number = Int64(bitPattern: rest.takeNumber())
            let length = Int(clamping: rest.takeNumber())
            guard rest.count >= length else { return }
            if let entry = try? JournalEntry(decoding: Array(rest.prefix(length))) {
                requests.append(RunRequest(id: id, journal: entry, number: number))
            }
            rest.removeFirst(length)
        }
        guard rest.count >= 8 else { return }
        for _ in 0..<rest.takeNumber() {
            guard let message = Self.takeMessage(&rest) else { return }
            messages.append(message)
        }
        while rest.count >= Self.changeBytes {
            let id = JobID(high: rest.takeNumber(), low: rest.takeNumber())
            let state = rest.removeFirst()
            var change = JobChange(
                id: id, state: state == Self.noState ? nil : JobState(stored: Int64(state)),
                revision: Int64(bitPattern: rest.takeNumber()))
            let date = Int64(bitPattern: rest.takeNumber())
            if date != .min { change.dueAt = Timestamp(milliseconds: date) }
            let flags = rest.removeFirst()
            change.hasCallbacks = flags & Self.callbackFlag != 0
            change.hasOnlyEntries = flags & Self.entriesFlag != 0
            let length = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
            let texts = PairCoding.decode(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
            if texts.count >= 2 {
                (change.name, change.type, change.queue) = (texts[0].0, texts[0].1, texts[1].0)
                Self.take(facts: texts[1].1, of: &change)
                change.labels = texts.dropFirst(2).map { JobSpec.Label(key: $0.0, value: $0.1) }
            }
            changes.append(change)
        }
        if rest.count == 8 {
            firstClaimable = Timestamp(milliseconds: Int64(bitPattern: rest.takeNumber()))
        }
    }
}

/// Numbers of jobs by state, or the differences between two such numbers.
struct JobCounts: Sendable, Equatable {
    private var counts = [Int64](repeating: 0, count: size)
    private static let size = 16
    /// The maximum length of what `append` writes.
    static let bytesMax = 1 + 9 * size

    init() {}

    /// The counts in stored news, or in their beginning.
    init(news bytes: [UInt8]) {
        var rest = CommitNews.isKnown(bytes) ? bytes[2...] : []
        self.init(decoding: &rest)
    }

    var isZero: Bool { counts.allSatisfy { $0 == 0 } }

    /// The number of jobs that are not finished.
    var unfinished: Int { Int(counts[..<10].reduce(0, +)) }

    /// All counts that are not zero.
    var byState: [JobState: Int] {
        var result: [JobState: Int] = [:]
        for state in JobState.allCases where counts[Int(state.stored)] != 0 {
            result[state] = Int(counts[Int(state.stored)])
        }
        return result
    }

    func count(of state: JobState) -> Int64 { counts[Int(state.stored)] }

    mutating func add(_ difference: Int64, to state: JobState) { counts[Int(state.stored)] += difference }

    mutating func add(_ other: JobCounts) {
        for (state, count) in other.counts.enumerated() { counts[state] += count }
    }

    /// Appends those that are not zero.
    func append(to bytes: inout [UInt8]) {
        bytes.append(UInt8(counts.count { $0 != 0 }))
        for (state, count) in counts.enumerated() where count != 0 {
            bytes.append(UInt8(state))
            bytes.append(number: count)
        }
    }

    /// Reads what `append` wrote; zeros when there is nothing.
    init(decoding bytes: inout ArraySlice<UInt8>) {
        guard let count = bytes.popFirst() else { return }
        for _ in 0..<count {
            guard bytes.count >= 9 else { return }
            let state = Int(bytes.removeFirst())
            let number = Int64(bitPattern: bytes.takeNumber())
            if state < counts.count { counts[state] = number }
        }
    }
}

extension ArraySlice<UInt8> {
    /// Takes eight bytes, the highest first.
    fileprivate mutating func takeNumber() -> UInt64 {
        defer { removeFirst(8) }
        return prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
