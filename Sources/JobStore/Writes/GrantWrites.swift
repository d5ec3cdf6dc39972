package import JobKit

/// The rows of grants.
package protocol GrantRows {
    associatedtype Failure: Error

    /// A grant, which no other server changes until the end of the transaction.
    func grant(_ name: String) throws(Failure) -> GrantRecord?

    func count() throws(Failure) -> Int

    func put(_ grant: GrantRecord) throws(Failure)

    func remove(_ name: String) throws(Failure)

    /// Whether one of the grants that a job is suspended for was decided or removed meanwhile.
    func hasNews(for wakeKeys: [String]) throws(Failure) -> Bool
}

/// Stores a decision about a grant, settles the request unless the grant stays undetermined, and wakes the first
/// `WakeReceipt.part` jobs that wait for it; `SettledWake` wakes the others.
///
/// A decision that says what the last one said changes nothing.
///
/// Refused with `.grantsFull` beyond `StoreLimits.grantsMax`, `.settingConflict`.
package struct GrantDecision: RequestWrite {
    /// The grant after the decision, and the jobs that it woke.
    package typealias Reply = GrantReceipt

    package var grant: GrantRecord
    package var at: Timestamp
    /// The version that it replaces, 0 for no decision; nil replaces any.
    package var ifVersion: Int64?

    package init(_ grant: GrantRecord, at: Timestamp, ifVersion: Int64? = nil) {
        self.grant = grant
        self.at = at
        self.ifVersion = ifVersion
    }

    package var needs: WriteNeeds { WriteNeeds(grants: [grant.name]) }

    package var rows: Int { WakeReceipt.part }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let known = try transaction.grants.grant(grant.name)
        let version = known?.version ?? 0
        if let ifVersion, ifVersion != version { return .failure(.settingConflict(grant.name, version)) }
        if let known, version > 0, known.decidesLike(grant) {
            var receipt = GrantReceipt(
                grant: known, isNew: false, wake: WakeReceipt(woken: 0, isMore: false))
            receipt.changedNothing = true
            return .success(receipt)
        }
        if known == nil, let error = try transaction.refusalOfGrant() { return .failure(error) }
        var grant = grant
        grant.version = version + 1
        grant.createdAt = version > 0 ? known?.createdAt : grant.updatedAt
        grant.createdBy = version > 0 ? known?.createdBy : grant.updatedBy
        grant.request = grant.status(at: at).isOpen ? known?.request : nil
        try transaction.grants.put(grant)
        let wake = try transaction.wake(
            key: GrantRequest.wakeKey(grant.name), limit: WakeReceipt.part, at: at)
        return .success(GrantReceipt(grant: grant, isNew: version == 0, wake: wake))
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) -> GrantDecision {
        var own = self
        own.grant.name = tenant.stored(grant.name)
        return own
    }

    package func shown(_ reply: GrantReceipt, to tenant: Tenant) -> GrantReceipt {
        var reply = reply
        reply.grant = tenant.shown(reply.grant)
        return reply
    }
}

/// Requests a grant, unless it was requested before or is decided: there is one request per grant.
///
/// Refused with `.grantsFull`.
package struct GrantApplication: StoreWrite {
    /// The grant with its first request.
    package typealias Reply = GrantRecord

    package var name: String
    package var request: GrantRequest

    package init(_ name: String, _ request: GrantRequest) {
        self.name = name
        self.request = request
    }

    package var needs: WriteNeeds { WriteNeeds(grants: [name]) }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let known = try transaction.grants.grant(name)
        var grant = known ?? GrantRecord(name: name)
        guard grant.status(at: request.at).isOpen, grant.request == nil else { return .success(grant) }
        if known == nil, let error = try transaction.refusalOfGrant() { return .failure(error) }
        grant.request = request
        try transaction.grants.put(grant)
        return .success(grant)
    }
}

/// Removes a grant and its request. Jobs that wait for it are woken, as by a decision, and request it again.
///
/// Refused with `.missing`, `.settingConflict`.
package struct GrantRemoval: RequestWrite {
    /// The number of jobs that it woke.
    package typealias Reply = WakeReceipt

    package var name: String
    package var at: Timestamp
    /// The version that is removed; nil removes any.
    package var ifVersion: Int64?

    package init(_ name: String, at: Timestamp, ifVersion: Int64? = nil) {
        self.name = name
        self.at = at
        self.ifVersion = ifVersion
    }

    package var needs: WriteNeeds { WriteNeeds(grants: [name]) }

    package var rows: Int { WakeReceipt.part }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        guard let known = try transaction.grants.grant(name) else { return .failure(.noGrant(name)) }
        if let ifVersion, ifVersion != known.version {
            return .failure(.settingConflict(name, known.version))
        }
        try transaction.grants.remove(name)
        transaction.noteErasure()
        let key = GrantRequest.wakeKey(name)
        return .success(try transaction.wake(key: key, limit: WakeReceipt.part, at: at))
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) -> GrantRemoval {
        GrantRemoval(tenant.stored(name), at: at, ifVersion: ifVersion)
    }

    package func shown(_ reply: WakeReceipt, to tenant: Tenant) -> WakeReceipt { reply }
}

/// Wakes up to `limit` (1…10,000) jobs that wait for one of the grants that are decided or removed.
package struct SettledWake: StoreWrite {
    /// The number of jobs that it woke, and whether more may wait.
    package typealias Reply = WakeReceipt

    package var limit: Int
    package var at: Timestamp

    package init(limit: Int, at: Timestamp) {
        self.limit = StoreRange.batch(limit)
        self.at = at
    }

    package var rows: Int { limit }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        guard let key = try transaction.wakes.settledKey() else {
            return .success(WakeReceipt(woken: 0, isMore: false))
        }
        var receipt = try transaction.wake(key: key, limit: limit, at: at)
        // There may be other grants.
        receipt.isMore = true
        return .success(receipt)
    }
}

extension StoreTransaction {
    /// The error for a further grant; nil when the limit is not reached.
    fileprivate func refusalOfGrant() throws(Failure) -> JobStoreError? {
        try grants.count() < limits.grantsMax ? nil : .grantsFull(limits.grantsMax)
    }
}
