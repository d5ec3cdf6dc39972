package import HTTPMessage
package import JobKit
package import JobRunner
package import JobSpec
package import JobStore
package import OpenSSLCrypto
import StrictJSON

// DESIGN
// A job comes from a request, a batch, the program, a schedule, a hook, a callback, or a job that is submitted again.
// The rules for every new job are here: the defaults of its queue, its templates and uploads, its unique key, its dates
// and retention, its tenant, and whether the spec that was read is the one that its first run would read. Limits of
// tenants count where the job is stored.

/// Reads the specs of new jobs.
package struct Intake: Sendable {
    package let egress: EgressPolicy?
    package let kinds: OperationKinds
    /// The queues whose defaults the specs get.
    package var queues: StoredQueues
    /// Whether the specs may hand out callback URLs: there is an address for them.
    let hasCallbackURLs: Bool

    package init(
        egress: EgressPolicy?, kinds: OperationKinds, queues: StoredQueues, hasCallbackURLs: Bool
    ) {
        self.egress = egress
        self.kinds = kinds
        self.queues = queues
        self.hasCallbackURLs = hasCallbackURLs
    }

    /// The reason why a spec was not read.
    package enum Refusal: Error {
        case problems(SpecProblems)
        /// The store did not tell what a template is, so that nothing is known about the spec.
        case store(JobStoreError)
    }

    /// Reads a spec that is submitted now, with the defaults of its queue.
    /// - Parameters:
    ///   - line: the line at which the body begins, for error messages.
    ///   - templates: those of the submission, which keep what the spec uses.
    package func read(
        _ body: [UInt8], line: Int = 1, limits: SpecLimits = .standard, with templates: TemplateBook,
        now: Timestamp
    ) throws(Refusal) -> AcceptedSpec {
        let body = QueueDefaults.body(body, queues)
        let spec = try checked(
            templates,
            JobSpecReader.read(
                body, line: line, limits: limits, now: now, egress: egress, kinds: kinds,
                templates: templates.lookup))
        return AcceptedSpec(spec, body, templates: templates, isWhole: templates.isUnused)
    }

    /// Reads the spec of a schedule for one planned time, with the templates as they are now.
    private func read(
        _ schedule: ScheduleSpec, for date: Timestamp, _ reader: any TemplateReads, now: Timestamp
    ) throws(Refusal) -> AcceptedSpec {
        let whole = QueueDefaults.spec(of: schedule.job(scheduledFor: date), queues)
        let templates = TemplateBook(reader)
        let spec = try checked(
            templates,
            JobSpecReader.read(
                StoredSpec.submitted(whole), now: now, egress: egress, kinds: kinds,
                templates: templates.lookup))
        return AcceptedSpec(spec, whole.encoded(), templates: templates, isWhole: false)
    }

    private func checked(
        _ templates: TemplateBook, _ read: Result<JobSpec, SpecProblems>
    ) throws(Refusal) -> JobSpec {
        switch read {
        case .success(let spec):
            if !hasCallbackURLs, let problem = SpecProblem.missingAddress(at: spec.callbackPlace) {
                throw .problems(SpecProblems([problem]))
            }
            return spec
        case .failure(let problems): throw templates.failure.map { .store($0) } ?? .problems(problems)
        }
    }
}

extension Intake {
    /// The job of a schedule for one planned time.
    /// - Parameter tenant: whose job it is, unless the store makes it its tenant's.
    /// - Throws: when the store did not tell what a template is, so that nothing is known about the job.
    package func job(
        of schedule: ScheduleSpec, for date: Timestamp, reader: any TemplateReads, tenant: Tenant? = nil,
        now: Timestamp, random: RandomWords
    ) throws(JobStoreError) -> Result<NewJob, ScheduledJobs.NotMade> {
        let by = "the schedule \(schedule.plan.name)"
        let spec: AcceptedSpec
        do throws(Refusal) { spec = try read(schedule, for: date, reader, now: now) } catch {
            switch error {
            case .store(let failure): throw failure
            case .problems(let problems):
                return .failure(.init(problems.list.first?.sentence ?? "The spec of the job has problems."))
            }
        }
        do throws(SpecProblem) {
            return .success(try spec.job(by: by, of: tenant, now: now, random: random.pair()))
        } catch {
            return .failure(.init(error.detail))
        }
    }
}

extension Intake {
    /// The job of a hook for a delivery, with the templates as they are now.
    package func job(
        _ job: HookJob, of hook: String, for delivery: HookDelivery, reader: any TemplateReads,
        now: Timestamp, random: RandomWords
    ) throws(Refusal) -> NewJob {
        let templates = TemplateBook(reader)
        let reading: HookJob.Reading
        if let known = job.reading {
            reading = known
        } else {
            let whole = QueueDefaults.spec(of: job.labelled(hook), queues)
            let spec = try checked(
                templates,
                JobSpecReader.readHooked(
                    whole, now: now, egress: egress, kinds: kinds, templates: templates.lookup))
            reading = HookJob.Reading(spec, of: whole)
            if templates.isUnused { job.keep(reading) }
        }
        let most = SpecLimits.standard.bytesMax
        guard let (spec, text) = reading.spec(for: delivery, upTo: most) else {
            throw .problems(
                SpecProblems([
                    SpecProblem(
                        pointer: .root, code: SpecProblemCode.tooLarge.rawValue,
                        detail:
                            "With the values that it takes it has more than \(most) bytes. Take less of the "
                            + "delivery.")
                ]))
        }
        let accepted = AcceptedSpec(spec, text, templates: templates, isWhole: false)
        do throws(SpecProblem) {
            return try accepted.job(by: "the hook \(hook)", now: now, random: random.pair())
        } catch {
            throw .problems(SpecProblems([error]))
        }
    }
}
