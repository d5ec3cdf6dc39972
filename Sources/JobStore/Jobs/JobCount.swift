internal import JobKit

/// The number of jobs of a list, in groups.
package struct JobCount: Sendable {
    /// A property that groups jobs.
    package enum Key: String, Sendable, Hashable, CaseIterable {
        case state, queue, type
    }

    /// The jobs with equal values.
    package struct Group: Sendable, Hashable {
        /// One for each key, in the order of the keys.
        package var values: [String]
        package var count: Int

        package init(values: [String], count: Int) {
            self.values = values
            self.count = count
        }
    }

    /// The largest first.
    package var groups: [Group]
    /// Whether the list has further jobs, which were not counted.
    package var isLowerBound: Bool

    package var total: Int { groups.reduce(0) { $0 + $1.count } }

    package init(groups: [Group], isLowerBound: Bool) {
        self.groups = groups.sorted {
            $0.count == $1.count ? $0.values.lexicographicallyPrecedes($1.values) : $0.count > $1.count
        }
        self.isLowerBound = isLowerBound
    }

    package init(of jobs: some Sequence<JobRecord>, by keys: [Key], isLowerBound: Bool) {
        var counts: [[String]: Int] = [:]
        for job in jobs { counts[keys.map { job[$0] }, default: 0] += 1 }
        self.init(
            groups: counts.map { Group(values: $0.key, count: $0.value) }, isLowerBound: isLowerBound)
    }
}

extension JobRecord {
    fileprivate subscript(key: JobCount.Key) -> String {
        switch key {
        case .state: self.state.rawValue
        case .queue: self.queue
        case .type: self.type
        }
    }
}
