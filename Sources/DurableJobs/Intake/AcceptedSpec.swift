package import JobKit
package import JobSpec
package import JobStore

/// The spec of a new job, and the text that is stored of it.
package struct AcceptedSpec: Sendable {
    package let known: KnownSpec
    private let text: [UInt8]
    /// Those that it uses, which are stored with it; nil for a stored spec, which has them.
    private let templates: TemplateBook?
    /// Whether the first run would read the same spec from the text.
    private let isWhole: Bool

    init(_ spec: JobSpec, _ text: [UInt8], templates: TemplateBook?, isWhole: Bool) {
        known = KnownSpec(spec)
        self.text = text
        self.templates = templates
        self.isWhole = isWhole
    }

    /// The spec of a job that was accepted before, or that the server writes itself: with the templates of that time,
    /// and without the defaults of queues. Nil when it is damaged or of another version.
    package init?(stored text: [UInt8], now: Timestamp) {
        guard case .success(let spec) = JobSpecReader.readStored(text, now: now) else { return nil }
        self.init(spec, text, templates: nil, isWhole: true)
    }

    /// A new job of the spec.
    /// - Parameters:
    ///   - by: the submitter, who may take a unique key from others.
    ///   - tenant: whose job it is, unless the store makes it its tenant's.
    /// - Throws: one problem when the spec with its templates is too large or too deep.
    package func job(
        by submitter: String, of tenant: Tenant? = nil, now: Timestamp, random: (UInt64, UInt64)
    ) throws(SpecProblem) -> NewJob {
        let text = try templates?.pinned(in: text, now: now) ?? text
        var job = JobIntake.job(for: known.spec, from: text, now: now, random: random)
        job.unique = known.spec.unique.map { UniqueKey.claim($0, of: job.record, by: submitter) }
        if isWhole && job.record.state == .queued { job.reading = known }
        tenant?.stamp(&job)
        return job
    }
}
