package import JobKit

/// The place of a bin.
package struct StatsKey: Sendable, Hashable, Comparable {
    package var step: StatsStep
    package var facet: StatsFacet
    /// The tenant whose ends it counts; empty for those of all jobs.
    package var tenant: String
    /// The beginning of its step.
    package var at: Timestamp

    package init(step: StatsStep, facet: StatsFacet, tenant: String, at: Timestamp) {
        self.step = step
        self.facet = facet
        self.tenant = tenant
        self.at = at
    }

    package static func < (left: StatsKey, right: StatsKey) -> Bool {
        (left.step.rawValue, left.facet.rawValue, left.tenant, left.at)
            < (right.step.rawValue, right.facet.rawValue, right.tenant, right.at)
    }

    /// Whether its step has been over for a while, so that few ends are still counted in it.
    package func isOver(at now: Timestamp) -> Bool { at < Self.overBefore(now, step) }

    /// The time before which steps begin that are over.
    package static func overBefore(_ now: Timestamp, _ step: StatsStep) -> Timestamp {
        Timestamp(milliseconds: now.milliseconds - step.milliseconds - 60_000)
    }
}

/// A bin as it is stored.
package struct StoredBin: Sendable, Hashable {
    package var bytes: [UInt8]
    /// Whether its step lasts: it has more values then.
    package var isOpen: Bool

    package init(bytes: [UInt8], isOpen: Bool) {
        self.bytes = bytes
        self.isOpen = isOpen
    }

    /// A bin with the values that are kept.
    init(_ bin: StatsBin, isOpen: Bool) {
        var bin = bin
        bin.keep(isOpen ? StatsBin.openMax : StatsBin.sealedMax)
        self.init(bytes: bin.encoded(), isOpen: isOpen)
    }
}

/// The ends of one step.
package struct StatsPoint: Sendable {
    package var at: Timestamp
    package var bin: StatsBin

    package init(at: Timestamp, bin: StatsBin) {
        self.at = at
        self.bin = bin
    }
}

/// The value of the facet `failure`: ends that are alike.
package struct FailureKey: Sendable, Hashable {
    package var code: String
    /// The upstream; empty where no call failed.
    package var host: String
    /// The name of the jobs.
    package var name: String

    package init(code: String, host: String, name: String) {
        self.code = code
        self.host = host
        self.name = name
    }

    /// The parts, a line each. Codes and hosts have no line feeds.
    package var text: String { "\(code)\n\(host)\n\(name)" }

    package init(_ text: String) {
        func line(_ bytes: inout Substring.UTF8View) -> String {
            let line = bytes.prefix { $0 != 0x0A }
            bytes = bytes[line.endIndex...].dropFirst()
            return String(Substring(line))
        }
        var rest = Substring(text).utf8
        code = line(&rest)
        host = line(&rest)
        name = String(Substring(rest))
    }
}

package protocol StatsReads: Sendable {
    /// The bins whose steps begin in a range, in their order. Steps without ends are missing.
    /// - Parameter tenant: whose ends; nil for all jobs.
    func stats(
        by facet: StatsFacet, _ step: StatsStep, of tenant: Tenant?, from start: Timestamp,
        before end: Timestamp
    ) throws(JobStoreError) -> [StatsPoint]
}
