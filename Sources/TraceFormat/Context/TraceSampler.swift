/// The rule by which traces are recorded: `OTEL_TRACES_SAMPLER` with `OTEL_TRACES_SAMPLER_ARG`.
///
/// A decision depends on the ids alone, so that another run of a job, perhaps on another server, decides alike.
package struct TraceSampler: Sendable, Hashable {
    /// The rule for traces that begin here.
    package enum Root: Sendable, Hashable {
        case always, never
        /// A share of all traces, 0…1.
        case share(Double)
    }

    package var root: Root
    /// Whether a trace that began elsewhere is recorded as its caller decided.
    package var followsParent: Bool

    /// The default: everything, unless the caller decided otherwise.
    package static let standard = TraceSampler(root: .always, followsParent: true)

    package init(root: Root, followsParent: Bool) {
        self.root = root
        self.followsParent = followsParent
    }

    /// The sampler with this name; nil when the name or the argument is not known.
    package init?(_ name: String, argument: String?) {
        let prefix = "parentbased_"
        followsParent = name.hasPrefix(prefix)
        switch followsParent ? String(name.dropFirst(prefix.count)) : name {
        case "always_on": root = .always
        case "always_off": root = .never
        case "traceidratio":
            guard let argument, !argument.isEmpty else {
                root = .share(1)
                return
            }
            guard let share = Double(argument), (0...1).contains(share) else { return nil }
            root = .share(share)
        default: return nil
        }
    }

    /// Whether a span of this trace is recorded.
    /// - Parameter parent: the span that it is a child of.
    package func isSampled(_ id: TraceID, parent: TraceContext?) -> Bool {
        if followsParent, let parent { return parent.isSampled }
        switch root {
        case .always: return true
        case .never: return false
        case .share(let share):
            // As in the SDKs: the lower 56 bits, which W3C Trace Context wants to be random, against the share of
            // their range.
            return Double(id.low & 0x00FF_FFFF_FFFF_FFFF) < share * 0x1p56
        }
    }
}
