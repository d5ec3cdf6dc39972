import JobKit
import JobStore
import StoreThreads

/// Submitting, running and controlling jobs.
extension PostgresJobStore {
    func submit(_ job: NewJob, reply: @escaping StoreReply<SubmitOutcome>) {
        write(reply, needs: WriteNeeds(submissions: [job]), bytes: job.bytes, isPlain: true) {
            unit throws(PostgresFailure) in
            try unit.submit(job)
        }
    }

    func submit(
        _ jobs: [NewJob], isAtomic: Bool, isFollowed: Bool,
        reply: @escaping StoreReply<BatchOutcome>
    ) {
        let bytes = jobs.reduce(0) { $0 + $1.bytes }
        write(reply, needs: WriteNeeds(submissions: jobs), bytes: bytes, isPlain: true) {
            unit throws(PostgresFailure) in
            try unit.submit(jobs, isAtomic: isAtomic)
        }
    }

    func claim(_ request: ClaimRequest, reply: @escaping StoreReply<[Claim]>) {
        let command = WriteCommand(reply: reply) { unit throws(PostgresFailure) in try unit.claim(request) }
        command.isClaim = true
        queue.add(command)
    }

    func takeArrivals(_ arrivals: JobArrivals?) { board.arrivals = arrivals }

    func update(_ update: RunUpdate, reply: @escaping StoreReply<Int64>) {
        var needs = WriteNeeds(runs: [update.claim], keys: update.freed)
        let awaited = update.wakeKeys
        if !awaited.isEmpty { needs.awaitedGrants = awaited.compactMap { GrantRequest.name(wakeKey: $0) } }
        write(reply, needs: needs, bytes: update.bytes, isPlain: true) { unit throws(PostgresFailure) in
            try unit.update(update)
        }
    }

    func renew(_ owner: OwnerID, now: Timestamp, lease: Duration, reply: @escaping StoreReply<Void>) {
        leases.add { [usesDatabaseClock] reader in
            reply(
                Result { () throws(JobStoreError) in
                    let isHeld = try reader.read { session throws(PostgresFailure) in
                        try LeaseTable(session.connection, usesDatabaseClock: usesDatabaseClock)
                            .renew(owner, now: now, lease: lease)
                    }
                    if !isHeld { throw .leaseLost(owner) }
                })
        }
    }

    func recover(besides survivor: OwnerID?, now: Timestamp, reply: @escaping StoreReply<Int>) {
        write(reply) { unit throws(PostgresFailure) in try unit.recover(besides: survivor, now: now) }
    }

    func end(_ owner: OwnerID, now: Timestamp, reply: @escaping StoreReply<Int>) {
        // Behind a renewal under way, which would begin the lease anew.
        leases.add { [self] _ in
            write(reply) { unit throws(PostgresFailure) in try unit.end(owner, now: now) }
        }
    }
}
