package import JobKit
package import StrictJSON

/// The ends of one step of time, in groups by the values of one facet.
package struct StatsBin: Sendable, Hashable {
    /// The ends with one value.
    package struct Group: Sendable, Hashable {
        package var count: Int64 = 0
        /// Those that failed or expired.
        package var failed: Int64 = 0
        package var startDelays = Spread()
        package var durations = Spread()
        /// The first and the last end, and the newest jobs, the last first: for failures.
        package var firstAt: Timestamp?
        package var lastAt: Timestamp?
        package var jobs: [JobID] = []
        /// The number of jobs that are kept.
        package static let jobsMax = 10

        /// A group of nothing.
        package init() {}

        package mutating func add(_ other: Group) {
            count &+= other.count
            failed &+= other.failed
            startDelays.add(other.startDelays)
            durations.add(other.durations)
            guard let first = other.firstAt, let last = other.lastAt else { return }
            let isNewer = lastAt.map { last >= $0 } ?? true
            firstAt = min(firstAt ?? first, first)
            lastAt = max(lastAt ?? last, last)
            var seen: Set<JobID> = []
            jobs = (isNewer ? other.jobs + jobs : jobs + other.jobs).filter { seen.insert($0).inserted }
            if jobs.count > Self.jobsMax { jobs.removeLast(jobs.count - Self.jobsMax) }
        }

        mutating func note(_ end: EndFacts) {
            count &+= 1
            if end.isFailure { failed &+= 1 }
            if let delay = end.startDelay { startDelays.note(delay) }
            if let duration = end.duration { durations.note(duration) }
        }
    }

    /// By value.
    package private(set) var groups: [ByteKey: Group] = [:]
    /// The ends with other values, which had fewer.
    package private(set) var rest = Group()

    /// The number of values while the step lasts, and after it.
    package static let (openMax, sealedMax) = (100, 20)

    /// A bin of nothing.
    package init() {}

    package mutating func add(_ group: Group, to value: String) {
        groups[ByteKey(value), default: Group()].add(group)
    }

    package mutating func add(_ other: StatsBin) {
        for (value, group) in other.groups { groups[value, default: Group()].add(group) }
        rest.add(other.rest)
    }

    /// Keeps the values with the most ends, and puts the others together.
    package mutating func keep(_ most: Int) {
        guard groups.count > most else { return }
        for (value, group) in ordered.dropFirst(most) {
            var group = group
            group.jobs = []
            rest.add(group)
            groups[value] = nil
        }
    }

    /// The groups, the largest first.
    package var ordered: [(key: ByteKey, value: Group)] {
        groups.sorted {
            $0.value.count == $1.value.count ? $0.key < $1.key : $0.value.count > $1.value.count
        }
    }
}

// MARK: - Stored form

extension StatsBin {
    private static let version: UInt8 = 1

    package func encoded() -> [UInt8] {
        var bytes = [Self.version]
        rest.append(to: &bytes)
        bytes.append(leb: UInt64(groups.count))
        for (value, group) in ordered {
            bytes.append(counted: value.text)
            group.append(to: &bytes)
        }
        return bytes
    }

    /// Reads what `encoded` wrote. What a newer program wrote in another form counts nothing.
    package init(decoding bytes: [UInt8]) {
        var reader = StatsReader(bytes)
        guard reader.byte() == Self.version else { return }
        rest = Group(&reader)
        for _ in 0..<reader.number() {
            if reader.isAtEnd { break }
            let value = reader.text()
            groups[ByteKey(value)] = Group(&reader)
        }
    }
}

extension StatsBin.Group {
    fileprivate func append(to bytes: inout [UInt8]) {
        bytes.append(leb: UInt64(max(0, count)))
        bytes.append(leb: UInt64(max(0, failed)))
        startDelays.append(to: &bytes)
        durations.append(to: &bytes)
        bytes.append(leb: UInt64(clamping: firstAt?.milliseconds ?? 0))
        bytes.append(leb: UInt64(clamping: lastAt?.milliseconds ?? 0))
        bytes.append(leb: UInt64(jobs.count))
        for id in jobs { bytes.append(id) }
    }

    fileprivate init(_ reader: inout StatsReader) {
        count = reader.integer()
        failed = reader.integer()
        startDelays = Spread(&reader)
        durations = Spread(&reader)
        let times = [reader.integer(), reader.integer()]
        if times[0] > 0 { firstAt = Timestamp(milliseconds: times[0]) }
        if times[1] > 0 { lastAt = Timestamp(milliseconds: times[1]) }
        for _ in 0..<min(reader.number(), UInt64(Self.jobsMax)) {
            jobs.append(reader.id())
        }
    }
}
