internal import JobKit

/// Records as a tenant knows them.
extension Tenant {
    package func shown(_ job: JobRecord) -> JobRecord {
        var job = job
        job.queue = shown(job.queue)
        return job
    }

    package func shown(_ error: JobStoreError) -> JobStoreError {
        var code = error.code
        if case .lineFull(let queue, let waits) = code { code = .lineFull(queue: shown(queue), waits: waits) }
        return JobStoreError(code, shown(sentence: error.detail))
    }

    /// Makes a new job the tenant's: its queue and its keys.
    package func stamp(_ job: inout NewJob) {
        job.record.queue = stored(job.record.queue)
        if var claim = job.idempotency {
            claim.key = storedText(claim.key)
            job.idempotency = claim
        }
        if var claim = job.unique {
            claim.key = storedText(claim.key)
            job.unique = claim
        }
    }

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
        bulk.createdBy = OwnedText.shown(bulk.createdBy)
        bulk.stoppedBy = bulk.stoppedBy.map(OwnedText.shown)
        return bulk
    }

    /// A bulk action that was shown, as it is stored.
    package func stored(_ bulk: BulkRecord) -> BulkRecord {
        var bulk = bulk
        bulk.createdBy = storedText(bulk.createdBy)
        bulk.stoppedBy = bulk.stoppedBy.map { storedText($0) }
        return bulk
    }

    package func shown(_ delivery: DeliveryRecord) -> DeliveryRecord {
        var delivery = delivery
        delivery.hook = shown(delivery.hook)
        return delivery
    }

    package func shown(_ upload: UploadRecord) -> UploadRecord {
        var upload = upload
        upload.createdBy = OwnedText.shown(upload.createdBy)
        return upload
    }

    /// The record of a change by the tenant, with the stored name of what is changed.
    package func stored(_ record: AuditRecord) -> AuditRecord {
        var record = record
        record.by = storedText(record.by)
        if record.isByName { record.target = stored(record.target) }
        return record
    }

    package func shown(_ record: AuditRecord) -> AuditRecord {
        var record = record
        record.by = OwnedText.shown(record.by)
        record.target = shown(record.target)
        return record
    }

    package func shown(_ occurrence: Occurrence) -> Occurrence {
        guard case .skipped(let reason, let detail?) = occurrence.outcome else { return occurrence }
        var occurrence = occurrence
        occurrence.outcome = .skipped(reason, detail: shown(sentence: detail))
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
        case .replacing(let job, let stopping): .replacing(shown(job), stopping: stopping)
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

extension JobRecord {
    /// The tenant to whom the job belongs; nil when it belongs to none.
    package var tenant: Tenant? { Tenant(ofStored: self.queue) }
}
