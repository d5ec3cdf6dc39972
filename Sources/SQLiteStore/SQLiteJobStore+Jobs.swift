import JobKit
import JobStore
import StoreThreads
import Synchronization

/// Submitting, running and controlling jobs.
extension SQLiteJobStore {
    func submit(_ job: NewJob, reply: @escaping StoreReply<SubmitOutcome>) {
        queue.add(
            StoreCommand(of: owner, addedJobs: 1, bytes: job.bytes, reply: reply) {
                session throws(SQLiteFailure) in
                try session.submit(job)
            })
    }

    func submit(
        _ jobs: [NewJob], isAtomic: Bool, isFollowed: Bool,
        reply: @escaping StoreReply<BatchOutcome>
    ) {
        queue.add(
            StoreCommand(
                of: owner, addedJobs: jobs.count, isFollowed: isFollowed,
                bytes: jobs.reduce(0) { $0 + $1.bytes }, reply: reply
            ) { session throws(SQLiteFailure) in
                try session.submit(jobs, isAtomic: isAtomic)
            })
    }

    func claim(_ request: ClaimRequest, reply: @escaping StoreReply<[Claim]>) {
        write(reply) { [board] session throws(SQLiteFailure) in
            guard board.leases.withLock({ $0.holds(request.owner) }) else {
                return .failure(.leaseLost(request.owner))
            }
            return try session.claim(request)
        }
    }

    func takeArrivals(_ arrivals: JobArrivals?) { board.arrivals = arrivals }

    func update(_ update: RunUpdate, reply: @escaping StoreReply<Int64>) {
        write(reply, isUpdate: true, bytes: update.bytes) { session throws(SQLiteFailure) in
            try session.update(update)
        }
    }

    func renew(_ owner: OwnerID, now: Timestamp, lease: Duration, reply: @escaping StoreReply<Void>) {
        write(reply) { [board] _ throws(SQLiteFailure) in
            board.leases.withLock { $0.renew(owner, until: now.advanced(by: lease)) }
                ? .success(()) : .failure(.leaseLost(owner))
        }
    }

    func recover(besides survivor: OwnerID?, now: Timestamp, reply: @escaping StoreReply<Int>) {
        let noted: StoreReply<Int> = { [board] result in
            if case .success = result { board.leases.withLock { $0.notePutBack() } }
            reply(result)
        }
        write(noted) { [board] session throws(SQLiteFailure) in
            let leases = board.leases.withLock { leases in
                leases.takeOver(besides: survivor, at: now)
                return leases
            }
            guard leases.mayHaveDead else { return .success(0) }
            return .success(
                try session.putBackJobs(at: now, isDeath: true) {
                    $0 != survivor && leases.isOver($0, at: now)
                })
        }
    }

    func end(_ owner: OwnerID, now: Timestamp, reply: @escaping StoreReply<Int>) {
        write(reply) { [board] session throws(SQLiteFailure) in
            board.leases.withLock { $0.end(owner) }
            return .success(try session.putBackJobs(at: now, isDeath: false) { $0 == owner })
        }
    }
}
