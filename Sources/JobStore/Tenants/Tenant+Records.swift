/// Records as a tenant knows them.
extension Tenant {
    package func shown(_ grant: GrantRecord) -> GrantRecord {
        var grant = grant
        grant.name = shown(grant.name)
        return grant
    }

    package func shown(_ template: TemplateRecord) -> TemplateRecord {
        var template = template
        template.name = shown(template.name)
        return template
    }

    package func shown(_ schedule: ScheduleRecord) -> ScheduleRecord {
        var schedule = schedule
        schedule.name = shown(schedule.name)
        return schedule
    }

    package func shown(_ setting: SettingRecord) -> SettingRecord {
        var setting = setting
        setting.name = shown(setting.name)
        return setting
    }

    /// The queues that are the tenant's.
    package func shown(_ queues: [QueueStanding]) -> [QueueStanding] {
        queues.compactMap { queue in
            guard let name = own(queue.name) else { return nil }
            var queue = queue
            queue.name = name
            return queue
        }
    }

    package func shown(_ bulk: BulkRecord) -> BulkRecord {
        var bulk = bulk
        bulk.createdBy = shown(bulk.createdBy)
        bulk.stoppedBy = bulk.stoppedBy.map { shown($0) }
        return bulk
    }

    package func shown(_ record: AuditRecord) -> AuditRecord {
        var record = record
        record.by = shown(record.by)
        record.target = shown(record.target)
        return record
    }

    package func shown(_ occurrence: Occurrence) -> Occurrence {
        guard case .skipped(let reason, let detail?) = occurrence.outcome else { return occurrence }
        var occurrence = occurrence
        occurrence.outcome = .skipped(reason, detail: shown(text: detail))
        return occurrence
    }

    package func shown(_ receipt: PostReceipt) -> PostReceipt {
        var receipt = receipt
        receipt.job = shown(receipt.job)
        return receipt
    }

    package func shown(_ outcome: SubmitOutcome) -> SubmitOutcome {
        switch outcome {
        case .created(let job): .created(shown(job))
        case .replacing(let job, let inFlight): .replacing(shown(job), inFlight: inFlight)
        case .joined(let job): .joined(shown(job))
        case .replayed(let job): .replayed(shown(job))
        case .replayedGone, .keyReused: outcome
        }
    }

    package func shown(_ outcome: CancelOutcome) -> CancelOutcome {
        switch outcome {
        case .cancelled(let job): .cancelled(shown(job))
        case .cancelling(let job): .cancelling(shown(job))
        case .alreadyFinal(let job): .alreadyFinal(shown(job))
        }
    }
}
