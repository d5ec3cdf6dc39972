package import JobKit

/// Decisions about grants, and requests for them.
extension StoreTransaction {
    package func put(
        _ grant: GrantRecord, at now: Timestamp
    ) throws(Failure) -> Result<GrantReceipt, JobStoreError> {
        let known = try self.grant(grant.name)
        if known == nil, let error = try refusalOfGrant() { return .failure(error) }
        var grant = grant
        grant.request = grant.status(at: now).isOpen ? known?.request : nil
        try put(grant)
        let wake = try wake(key: GrantRequest.wakeKey(grant.name), limit: WakeReceipt.part, at: now)
        return .success(GrantReceipt(grant: grant, isNew: known == nil, wake: wake))
    }

    package func request(
        _ name: String, _ request: GrantRequest
    ) throws(Failure) -> Result<GrantRecord, JobStoreError> {
        let known = try grant(name)
        var grant = known ?? GrantRecord(name: name)
        guard grant.status(at: request.at).isOpen, grant.request == nil else { return .success(grant) }
        if known == nil, let error = try refusalOfGrant() { return .failure(error) }
        grant.request = request
        try put(grant)
        return .success(grant)
    }

    package func removeGrant(
        _ name: String, at now: Timestamp
    ) throws(Failure) -> Result<WakeReceipt, JobStoreError> {
        guard try grant(name) != nil else { return .failure(.noGrant(name)) }
        try removeGrant(name)
        return .success(try wake(key: GrantRequest.wakeKey(name), limit: WakeReceipt.part, at: now))
    }

    package func wakeSettled(limit: Int, at now: Timestamp) throws(Failure) -> WakeReceipt {
        guard let key = try settledWakeKey() else { return WakeReceipt(woken: 0, isMore: false) }
        var receipt = try wake(key: key, limit: limit, at: now)
        // There may be other grants.
        receipt.isMore = true
        return receipt
    }
}
