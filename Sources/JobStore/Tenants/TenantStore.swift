package import JobKit

/// A store restricted to one tenant, with the names that the tenant knows: data of others does not seem to exist. A job
/// never changes its tenant, so it is looked up before the write.
package struct TenantStore: RequestStore {
    private let base: any RequestStore
    private let tenant: Tenant
    private let reader: any JobReader
    private let meter: TenantMeter?

    /// - Parameters:
    ///   - reader: reads everything.
    ///   - meter: holds the tenant to its limits; nil knows none.
    package init(
        _ base: any RequestStore, _ tenant: Tenant, reader: any JobReader, meter: TenantMeter? = nil
    ) {
        self.meter = meter
        self.base = base
        self.tenant = tenant
        self.reader = reader
    }

    /// This store for the writes of one change, which is recorded as the tenant's.
    package func recording(_ draft: AuditDraft) -> any RequestStore {
        var draft = draft
        draft.record = tenant.stored(draft.record)
        return TenantStore(base.recording(draft), tenant, reader: reader, meter: meter)
    }

    package func perform<Write: RequestWrite>(_ write: Write, reply: @escaping StoreReply<Write.Reply>) {
        let admission = write.admission
        let own: Write
        do throws(JobStoreError) {
            own = try write.owned(by: tenant, reader)
            let refusal = admission.flatMap { meter?.admit($0.ids, of: tenant, at: $0.at).refusal }
            if let refusal { throw refusal }
        } catch {
            return reply(.failure(error))
        }
        let reply = shown(reply) { [tenant] in write.shown($0, to: tenant) }
        base.perform(own) { [meter, tenant] result in
            meter?.withdraw(write.unmade(by: result), of: tenant)
            reply(result)
        }
    }

    /// The reply with what the tenant knows.
    private func shown<Value: Sendable>(
        _ reply: @escaping StoreReply<Value>,
        _ change: @escaping @Sendable (Value) -> Value = { $0 }
    ) -> StoreReply<Value> {
        { [tenant] result in reply(result.map(change).mapError { tenant.shown($0) }) }
    }

    private func stamped(_ job: NewJob) -> NewJob {
        var job = job
        tenant.stamp(&job)
        return job
    }

    // MARK: Jobs

    package func submit(_ job: NewJob, reply: @escaping StoreReply<SubmitOutcome>) {
        let id = job.record.id
        if let error = meter?.admit([id], of: tenant, at: job.record.createdAt).refusal {
            return reply(.failure(error))
        }
        base.submit(stamped(job)) { [self] result in
            withdraw([id], unmadeBy: [result])
            reply(own(result))
        }
    }

    package func submit(
        _ jobs: [NewJob], isAtomic: Bool, isFollowed: Bool,
        reply: @escaping StoreReply<BatchOutcome>
    ) {
        let ids = jobs.map { $0.record.id }
        let now = jobs.first?.record.createdAt ?? Timestamp(milliseconds: 0)
        let (count, refusal) = meter?.admit(ids, of: tenant, at: now, isWhole: isAtomic) ?? (jobs.count, nil)
        if let refusal, count == 0 { return reply(.failure(refusal)) }
        base.submit(
            jobs.prefix(count).map(stamped), isAtomic: isAtomic, isFollowed: isFollowed
        ) { [self] result in
            guard case .success(.items(let items)) = result else {
                meter?.withdraw(Array(ids.prefix(count)), of: tenant)
                return reply(result.mapError { tenant.shown($0) })
            }
            withdraw(ids, unmadeBy: items)
            var outcomes = items.map(own)
            if let refusal { outcomes += ids.dropFirst(count).map { _ in .failure(refusal) } }
            reply(.success(.items(outcomes)))
        }
    }

    /// Releases the quota of jobs that were not created.
    private func withdraw(_ ids: [JobID], unmadeBy results: [Result<SubmitOutcome, JobStoreError>]) {
        let unmade = zip(ids, results).filter { id, result in
            switch result {
            case .success(.created(let job)), .success(.replacing(let job, _)): job.id != id
            default: true
            }
        }
        meter?.withdraw(unmade.map(\.0), of: tenant)
    }

    /// The outcome with the tenant's names; never another tenant's job.
    private func own(
        _ result: Result<SubmitOutcome, JobStoreError>
    ) -> Result<SubmitOutcome, JobStoreError> {
        switch result {
        case .success(.created(let job)), .success(.replacing(let job, _)), .success(.joined(let job)),
            .success(.replayed(let job)):
            guard tenant.owns(job.queue) else { return .failure(Self.foreign) }
        default: break
        }
        return result.map { tenant.shown($0) }.mapError { tenant.shown($0) }
    }

    private static let foreign = JobStoreError(
        .corrupt, "The store has the key of this submission with the job of another tenant.")

    // MARK: Queues

    package func look<Look: QueueLook>(_ look: Look, reply: @escaping StoreReply<Look.Answer>) {
        base.look(look.owned(by: tenant), reply: shown(reply) { [tenant] in look.shown($0, to: tenant) })
    }

    /// Never called: the engine observes the whole store.
    package func observeOpenings(_ observer: @escaping @Sendable (Timestamp) -> Void) {}
}
