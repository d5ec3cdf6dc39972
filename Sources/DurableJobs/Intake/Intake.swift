package import HTTPMessage
package import JobKit
package import JobRunner
package import JobSpec
package import JobStore
package import OpenSSLCrypto
package import StrictJSON

// DESIGN
// A job comes from a request, a batch, the program, a schedule, a hook, a callback, or a job that is submitted again.
// The rules for every new job are here: the defaults of its queue, its templates and uploads, its callback URLs, its
// unique key, its dates and retention, its tenant, and whether the spec that was read is the one that its first run
// would read. What makes jobs later, and members of a group, are checked by the same rules. Limits of tenants count
// where the job is stored.

/// Reads the specs of new jobs.
package struct Intake: Sendable {
    /// The addresses that jobs may reach; nil is all.
    package let egress: EgressPolicy?
    /// The operation kinds that are not built in.
    package let kinds: OperationKinds
    /// The queues whose defaults the specs get.
    private var queues: StoredQueues
    /// Whether the specs may hand out callback URLs: there is an address for them.
    private let hasCallbackURLs: Bool

    package init(
        queues: StoredQueues, egress: EgressPolicy? = nil, kinds: OperationKinds = .none,
        hasCallbackURLs: Bool = false
    ) {
        self.egress = egress
        self.kinds = kinds
        self.queues = queues
        self.hasCallbackURLs = hasCallbackURLs
    }

    /// That of a tenant, whose queues have the names that it knows; nil is this.
    package func scoped(to tenant: Tenant?) -> Intake {
        var scoped = self
        scoped.queues = queues.scoped(to: tenant)
        return scoped
    }

    /// The reason why a spec was not read.
    package enum Refusal: Error {
        case problems(SpecProblems)
        /// The store did not tell what a template is, so that nothing is known about the spec.
        case store(JobStoreError)

        static func problem(_ code: SpecProblemCode, at place: JSONPointer, _ detail: String) -> Refusal {
            .problems(SpecProblems([SpecProblem(pointer: place, code: code.rawValue, detail: detail)]))
        }
    }

    // MARK: Jobs

    /// Reads a spec that is submitted now, with the defaults of its queue.
    /// - Parameters:
    ///   - line: the line at which the body begins, for error messages.
    ///   - templates: those of the submission, which keep what the spec uses.
    package func read(
        _ body: [UInt8], line: Int = 1, limits: SpecLimits = .standard, with templates: TemplateBook,
        now: Timestamp
    ) throws(Refusal) -> AcceptedSpec {
        let given = try JobSpecReader.document(body, limits, line: line).taken()
        var (document, text) = (given, body)
        if let whole = QueueDefaults.added(to: given, queues) {
            guard whole.encodedCount(upTo: limits.bytesMax) != nil else { throw tooLarge(limits) }
            (document, text) = (whole, whole.encoded())
        }
        let spec = try checked(
            templates,
            JobSpecReader.read(
                document, limits: limits, now: now, egress: egress, kinds: kinds,
                templates: templates.lookup, textBytes: text.count))
        if let reserved = spec.reservedLabelProblem { throw .problems(SpecProblems([reserved])) }
        try checkCallbacks(spec)
        return AcceptedSpec(spec, text, document, templates: templates, given: given)
    }

    /// Reads the spec of a job that is submitted again: with the templates of that time, and without the defaults of
    /// queues. Nil when it is damaged or of another version.
    package func again(_ text: [UInt8], now: Timestamp) throws(Refusal) -> AcceptedSpec? {
        guard let accepted = AcceptedSpec(stored: text, now: now) else { return nil }
        try checkCallbacks(accepted.known.spec)
        return accepted
    }

    /// Checks a member that is to be added to a job; see `JobSpecReader.check`.
    package func member(
        _ addition: MemberAddition, to spec: [UInt8], earlier: [MemberAddition], now: Timestamp
    ) throws(Refusal) -> JobSpecReader.CheckedMember {
        let member = try JobSpecReader.check(
            addition, to: spec, earlier: earlier, now: now, egress: egress, kinds: kinds
        ).taken()
        try checkCallbacks(at: member.callbackPlace)
        return member
    }

    /// The job of a schedule for one planned time, with the templates as they are now.
    /// - Parameter tenant: whose job it is, unless the store makes it its tenant's.
    /// - Throws: when the store did not tell what a template is, so that nothing is known about the job.
    package func job(
        of schedule: ScheduleSpec, for date: Timestamp, reader: any TemplateReads, tenant: Tenant? = nil,
        now: Timestamp, random: RandomWords
    ) throws(JobStoreError) -> Result<NewJob, ScheduledJobs.NotMade> {
        do throws(Refusal) {
            let whole = QueueDefaults.spec(of: schedule.job(scheduledFor: date), queues)
            guard whole.encodedCount(upTo: SpecLimits.standard.bytesMax) != nil else {
                throw tooLarge(.standard)
            }
            let templates = TemplateBook(reader)
            let spec = try checked(
                templates,
                JobSpecReader.read(
                    StoredSpec.submitted(whole), now: now, egress: egress, kinds: kinds,
                    templates: templates.lookup))
            try checkCallbacks(spec)
            let accepted = AcceptedSpec(spec, whole.encoded(), whole, templates: templates, given: nil)
            return .success(
                try accepted.job(
                    by: "the schedule \(schedule.plan.name)", of: tenant, now: now, random: random.pair()))
        } catch {
            switch error {
            case .store(let failure): throw failure
            case .problems(let problems):
                return .failure(.init(problems.list.first?.sentence ?? "The spec of the job has problems."))
            }
        }
    }

    /// The job of a hook for a delivery, with the templates as they are now.
    package func job(
        _ job: HookJob, of hook: String, for delivery: HookDelivery, reader: any TemplateReads,
        now: Timestamp, random: RandomWords
    ) throws(Refusal) -> NewJob {
        let templates = TemplateBook(reader)
        let reading = try self.reading(of: job, of: hook, templates, now: now)
        let most = SpecLimits.standard.bytesMax
        guard let made = reading.spec(for: delivery, upTo: most) else {
            throw .problem(
                .tooLarge, at: .root,
                "Take less of the delivery: with the values that it takes the spec has more than \(most) bytes."
            )
        }
        return try AcceptedSpec(made.spec, made.text, made.document, templates: templates, given: nil)
            .job(by: "the hook \(hook)", now: now, random: random.pair())
    }

    /// The common part of all jobs of a hook: as it was read for an earlier delivery, unless it uses templates.
    private func reading(
        of job: HookJob, of hook: String, _ templates: TemplateBook, now: Timestamp
    ) throws(Refusal) -> HookJob.Reading {
        if let known = job.reading { return known }
        let whole = QueueDefaults.spec(of: job.labelled(hook), queues)
        let spec = try checked(
            templates,
            JobSpecReader.readHooked(
                whole, now: now, egress: egress, kinds: kinds, templates: templates.lookup))
        try checkCallbacks(spec)
        let reading = HookJob.Reading(spec, of: whole)
        if templates.isUnused { job.keep(reading) }
        return reading
    }

    // MARK: What makes jobs later

    package func template(
        _ value: JSONValue, _ name: String, _ reader: any TemplateReads, now: Timestamp
    ) throws(Refusal) -> TemplateDefinition {
        let templates = TemplateBook(reader)
        return try checked(
            templates,
            TemplateReader.read(
                value, name: name, now: now, egress: egress, kinds: kinds, templates: templates.lookup))
    }

    package func hook(
        _ value: JSONValue, _ name: String, _ reader: any TemplateReads, now: Timestamp
    ) throws(Refusal) -> HookSpec {
        let templates = TemplateBook(reader)
        let spec = try checked(
            templates,
            HookReader.read(
                value, name: name, now: now, egress: egress, kinds: kinds, templates: templates.lookup))
        try checkCallbacks(at: spec.callbackPlace)
        return spec
    }

    /// Reads a schedule, and its job as it would be now; nil when that cannot be read.
    package func schedule(
        _ value: JSONValue, _ name: String, _ reader: any TemplateReads, now: Timestamp
    ) throws(Refusal) -> (spec: ScheduleSpec, job: JobSpec?) {
        let templates = TemplateBook(reader)
        let spec = try checked(
            templates,
            ScheduleReader.read(
                value, name: name, now: now, egress: egress, kinds: kinds, templates: templates.lookup))
        let job = JobSpecReader.read(
            StoredSpec.submitted(spec.job(scheduledFor: now)), now: now, egress: egress, kinds: kinds,
            templates: templates.lookup)
        guard case .success(let job) = job else { return (spec, nil) }
        try checkCallbacks(job, at: JSONPointer(tokens: value.object?["job"] == nil ? [] : ["job"]))
        return (spec, job)
    }

    // MARK: Parts

    private func tooLarge(_ limits: SpecLimits) -> Refusal {
        .problem(
            .tooLarge, at: .root,
            "With the defaults of its queue the spec has more than \(limits.bytesMax) bytes.")
    }

    private func checked<Value>(
        _ templates: TemplateBook, _ read: Result<Value, SpecProblems>
    ) throws(Refusal) -> Value {
        if case .failure = read, let failure = templates.failure { throw .store(failure) }
        return try read.taken()
    }

    private func checkCallbacks(_ spec: JobSpec, at base: JSONPointer = .root) throws(Refusal) {
        try checkCallbacks(at: spec.callbackPlace.map { base.appending($0) })
    }

    /// - Parameter place: where the first callback URL is handed out; nil when none is.
    private func checkCallbacks(at place: JSONPointer?) throws(Refusal) {
        guard !hasCallbackURLs, let place else { return }
        throw .problem(
            .notAvailable, at: place,
            "This server does not know the URL at which others reach it, so it has no callback URLs. Start it with "
                + "--public-url, such as --public-url https://jobs.example.com.")
    }
}

extension Result where Failure == SpecProblems {
    fileprivate func taken() throws(Intake.Refusal) -> Success {
        switch self {
        case .success(let value): return value
        case .failure(let problems): throw .problems(problems)
        }
    }
}
