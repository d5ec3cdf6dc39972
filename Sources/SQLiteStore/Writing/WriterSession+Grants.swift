import JobKit
import JobStore

/// Named permissions.
extension WriterSession {
    func put(
        _ grant: GrantRecord, at now: Timestamp
    ) throws(SQLiteFailure) -> Result<GrantReceipt, JobStoreError> {
        let known = try self.grant(grant.name)
        if known == nil, try isFull() { return .failure(.grantsFull(limits.grantsMax)) }
        var grant = grant
        grant.request = grant.status(at: now).isOpen ? known?.request : nil
        try store(grant)
        let woken = try wake(key: GrantRequest.wakeKey(grant.name), at: now)
        return woken.map { GrantReceipt(grant: grant, isNew: known == nil, woken: $0) }
    }

    func request(
        _ name: String, _ request: GrantRequest
    ) throws(SQLiteFailure) -> Result<GrantRecord, JobStoreError> {
        let known = try grant(name)
        var grant = known ?? GrantRecord(name: name)
        guard grant.status(at: request.at).isOpen, grant.request == nil else { return .success(grant) }
        if known == nil, try isFull() { return .failure(.grantsFull(limits.grantsMax)) }
        grant.request = request
        try store(grant)
        return .success(grant)
    }

    func removeGrant(
        _ name: String, at now: Timestamp
    ) throws(SQLiteFailure) -> Result<Int, JobStoreError> {
        guard try grant(name) != nil else { return .failure(.noGrant(name)) }
        people.deleteGrant.bind(1, name)
        try people.deleteGrant.run()
        return try wake(key: GrantRequest.wakeKey(name), at: now)
    }

    /// Whether one of the grants that a job is put down for was decided or forgotten meanwhile.
    func hasNews(for wakeKeys: [String]) throws(SQLiteFailure) -> Bool {
        for key in wakeKeys {
            guard let name = GrantRequest.name(wakeKey: key) else { continue }
            if try grant(name)?.isAsked(at: SystemClock().now) != true { return true }
        }
        return false
    }

    private func grant(_ name: String) throws(SQLiteFailure) -> GrantRecord? {
        people.grantByName.bind(1, name)
        defer { people.grantByName.reset() }
        return try people.grantByName.step() ? try GrantRecord(row: people.grantByName) : nil
    }

    private func store(_ grant: GrantRecord) throws(SQLiteFailure) {
        grant.bindAll(to: people.putGrant)
        try people.putGrant.run()
    }

    private func isFull() throws(SQLiteFailure) -> Bool {
        defer { people.countGrants.reset() }
        return try people.countGrants.step() && people.countGrants.integer(0) >= Int64(limits.grantsMax)
    }
}
