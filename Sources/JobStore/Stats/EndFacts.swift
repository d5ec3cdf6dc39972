package import JobKit
internal import StrictJSON

/// The facts about one end of a job that statistics count.
package struct EndFacts: Sendable, Hashable {
    package var id: JobID
    package var at: Timestamp
    package var state: JobState
    package var queue: String
    package var name: String
    /// The code of the first error.
    package var code: String?
    /// The upstream of its call, or of the call that failed it.
    package var host: String?
    /// Milliseconds from the time at which it could start to its start, and from there to its end.
    package var startDelay: Int64?
    package var duration: Int64?

    package init(
        id: JobID, at: Timestamp, state: JobState, queue: String, name: String, code: String? = nil,
        host: String? = nil
    ) {
        self.id = id
        self.at = at
        self.state = state
        self.queue = queue
        self.name = name
        self.code = code
        self.host = host
    }

    /// The facts about an ended job; nil for any other.
    package init?(_ record: JobRecord) {
        guard record.state.isFinal, let end = record.finishedAt else { return nil }
        let detail = record.detail.values
        self.init(
            id: record.id, at: end, state: record.state, queue: record.queue, name: record.name,
            code: record.state == .succeeded ? nil : detail.errors.first?.code.description,
            host: detail.call?.host)
        note(createdAt: record.createdAt, runAt: record.runAt, startedAt: record.startedAt)
    }

    /// Measures its times.
    package mutating func note(createdAt: Timestamp, runAt: Timestamp?, startedAt: Timestamp?) {
        guard let start = startedAt else { return }
        let ready = max(createdAt, runAt ?? createdAt)
        startDelay = max(0, start.milliseconds - ready.milliseconds)
        duration = max(0, at.milliseconds - start.milliseconds)
    }

    /// Whether it is an end without success that a person did not ask for.
    package var isFailure: Bool { state.isFailure }

    /// The name of its tenant; empty without one.
    var tenant: String { Tenant(ofStored: queue)?.name ?? "" }
}

// MARK: - Stored form

extension EndFacts {
    private static let (hasCode, hasHost, hasTimes, isLikeLast): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 4, 8)

    /// Several ends as bytes. The queue and the name of the one before are not repeated, and only failures have ids.
    package static func encoded(_ ends: [EndFacts]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(leb: UInt64(ends.count))
        var last: EndFacts?
        for end in ends {
            let isAlike = last.map {
                $0.queue.hasSameBytes(as: end.queue) && $0.name.hasSameBytes(as: end.name)
            }
            bytes.append(
                (end.code == nil ? 0 : hasCode) | (end.host == nil ? 0 : hasHost)
                    | (end.duration == nil ? 0 : hasTimes) | (isAlike == true ? isLikeLast : 0))
            bytes.append(UInt8(end.state.stored))
            bytes.append(leb: UInt64(clamping: end.at.milliseconds))
            if isAlike != true {
                bytes.append(counted: end.queue)
                bytes.append(counted: end.name)
            }
            if let code = end.code { bytes.append(counted: code) }
            if end.isFailure { bytes.append(end.id) }
            if let host = end.host { bytes.append(counted: host) }
            if let duration = end.duration {
                bytes.append(leb: UInt64(clamping: end.startDelay ?? 0))
                bytes.append(leb: UInt64(clamping: duration))
            }
            last = end
        }
        return bytes
    }

    /// Reads what `encoded` wrote.
    package static func decoded(_ bytes: [UInt8]) -> [EndFacts] {
        var reader = StatsReader(bytes)
        var ends: [EndFacts] = []
        for _ in 0..<reader.number() {
            if reader.isAtEnd { break }
            let flags = reader.byte()
            let state = JobState(stored: Int64(reader.byte()))
            let at = Timestamp(milliseconds: reader.integer())
            let isAlike = flags & isLikeLast != 0
            let queue = isAlike ? ends.last?.queue ?? "" : reader.text()
            let name = isAlike ? ends.last?.name ?? "" : reader.text()
            var end = EndFacts(
                id: JobID(high: 0, low: 0), at: at, state: state ?? .failed, queue: queue, name: name)
            if flags & hasCode != 0 { end.code = reader.text() }
            if end.isFailure { end.id = reader.id() }
            if flags & hasHost != 0 { end.host = reader.text() }
            if flags & hasTimes != 0 { (end.startDelay, end.duration) = (reader.integer(), reader.integer()) }
            ends.append(end)
        }
        return ends
    }
}
