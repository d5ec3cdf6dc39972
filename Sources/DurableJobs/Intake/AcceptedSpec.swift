package import JobKit
import JobSpec
package import JobStore
package import StrictJSON

/// The spec of a new job, and the text that is stored of it.
package struct AcceptedSpec: Sendable {
    package let known: KnownSpec
    /// The document that was read, before defaults were added; nil when the server composed the spec.
    package let given: JSONValue?
    private let text: [UInt8]
    /// The document in the text, and the templates that it uses, which are stored with it; nil when it uses none.
    private let using: (document: JSONValue, templates: TemplateBook)?
    /// Whether the first run would read the same spec from the text.
    private let isWhole: Bool

    /// - Parameters:
    ///   - text: the text of the spec.
    ///   - document: what the text says.
    ///   - given: the document before anything was added to it; nil when the server composed the spec.
    init(
        _ spec: JobSpec, _ text: [UInt8], _ document: @autoclosure () -> JSONValue, templates: TemplateBook,
        given: JSONValue?
    ) {
        known = KnownSpec(spec)
        self.given = given
        self.text = text
        using = templates.isUnused ? nil : (document(), templates)
        isWhole = given != nil && using == nil
    }

    /// The spec of a job that was accepted before, or that the server writes itself: with the templates of that time,
    /// and without the defaults of queues. Nil when it is damaged or of another version.
    package init?(stored text: [UInt8], now: Timestamp) {
        guard case .success(let spec) = JobSpecReader.readStored(text, now: now) else { return nil }
        known = KnownSpec(spec)
        self.text = text
        isWhole = true
        (given, using) = (nil, nil)
    }

    /// A new job of the spec.
    /// - Parameters:
    ///   - by: the submitter, who may take a unique key from others.
    ///   - tenant: whose job it is, unless the store makes it its tenant's.
    /// - Throws: a problem when the spec with its templates is too large or too deep.
    package func job(
        by submitter: String, of tenant: Tenant? = nil, now: Timestamp, random: (UInt64, UInt64)
    ) throws(Intake.Refusal) -> NewJob {
        var text = text
        if let using { text = try using.templates.pinned(in: using.document, now: now) }
        var job = JobIntake.job(for: known.spec, from: text, now: now, random: random)
        job.unique = known.spec.unique.map { UniqueKey.claim($0, of: job.record, by: submitter) }
        if isWhole && job.record.state == .queued { job.reading = known }
        tenant?.stamp(&job)
        return job
    }
}
