package import JobKit
internal import StrictJSON

// DESIGN
// Most ends of a moment are alike: they are counted together first, and each kind of ends is then added to the bins of
// its facets and steps. So a further end of a kind costs little more than a comparison.

/// Counts ends for the bins in which they are.
package struct StatsTally {
    /// Ends that are alike.
    private struct Kind: Hashable {
        var minute: Timestamp
        var state: JobState
        var queue, name: ByteKey
        var code, host: ByteKey?

        init(_ end: EndFacts) {
            minute = StatsStep.minute.start(of: end.at)
            state = end.state
            (queue, name) = (ByteKey(end.queue), ByteKey(end.name))
            (code, host) = (end.code.map { ByteKey($0) }, end.host.map { ByteKey($0) })
        }
    }

    private var groups: [Kind: StatsBin.Group] = [:]
    private var last: (kind: Kind, group: StatsBin.Group)?

    package init(_ ends: [EndFacts]) {
        for end in ends { note(end) }
        settle()
    }

    private mutating func note(_ end: EndFacts) {
        let kind = Kind(end)
        if last?.kind != kind {
            settle()
            last = (kind, groups[kind] ?? StatsBin.Group())
        }
        last?.group.note(end)
        guard end.isFailure else { return }
        var newest = StatsBin.Group()
        (newest.firstAt, newest.lastAt, newest.jobs) = (end.at, end.at, [end.id])
        last?.group.add(newest)
    }

    private mutating func settle() {
        if let last { groups[last.kind] = last.group }
        last = nil
    }

    /// The bins of all facets and steps that are still kept.
    package func bins(at now: Timestamp) -> [StatsKey: StatsBin] {
        var bins: [StatsKey: StatsBin] = [:]
        for (kind, group) in groups {
            let tenant = Tenant(ofStored: kind.queue.text)
            for step in StatsStep.allCases {
                let at = step.start(of: kind.minute)
                if at < step.oldest(at: now) { continue }
                for facet in StatsFacet.allCases {
                    guard let value = Self.value(of: facet, kind) else { continue }
                    let share = Self.share(of: group, in: facet)
                    let key = StatsKey(step: step, facet: facet, tenant: "", at: at)
                    bins[key, default: StatsBin()].add(share, to: value)
                    guard let tenant else { continue }
                    let own = StatsKey(step: step, facet: facet, tenant: tenant.name, at: at)
                    bins[own, default: StatsBin()].add(
                        share, to: facet == .queue ? tenant.shown(value) : value)
                }
            }
        }
        return bins
    }

    private static func value(of facet: StatsFacet, _ kind: Kind) -> String? {
        switch facet {
        case .state: kind.state.rawValue
        case .code: kind.code?.text
        case .host: kind.host?.text
        case .queue: kind.queue.text
        case .name: kind.name.text
        case .failure:
            kind.state.isFailure
                ? FailureKey(
                    code: kind.code?.text ?? "", host: kind.host?.text ?? "", name: kind.name.text
                ).text : nil
        }
    }

    /// The part of a group that bins of a facet keep: only failures have jobs, and no times.
    private static func share(of group: StatsBin.Group, in facet: StatsFacet) -> StatsBin.Group {
        var share = group
        if facet == .failure {
            (share.startDelays, share.durations) = (Spread(), Spread())
        } else {
            (share.firstAt, share.lastAt, share.jobs) = (nil, nil, [])
        }
        return share
    }
}
