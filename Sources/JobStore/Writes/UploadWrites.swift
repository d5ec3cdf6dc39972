package import JobKit

/// The rows of uploads.
/// Those that are removed when they are old have expired, and no job uses them.
package protocol UploadRows: SweptRows {
    /// The number of uploads. Servers that add one at the same time may exceed a limit by one each.
    func count() throws(Failure) -> Int

    /// The reason why a new job cannot use its uploads; nil when it can.
    func refusal(of new: NewJob) throws(Failure) -> JobStoreError?

    func insert(_ upload: UploadRecord) throws(Failure)

    func upload(_ id: UploadID) throws(Failure) -> UploadRecord?

    /// Keeps uploads for a job.
    func keep(_ ids: [UploadID], for job: StoredJob) throws(Failure)

    /// Removes an upload, unless a job uses it; false then.
    func remove(_ id: UploadID) throws(Failure) -> Bool
}

/// Stores an upload whose content is durable.
///
/// Refused with `.full` beyond `StoreLimits.uploadsMax`.
package struct UploadCreation: RequestWrite {
    /// The upload as it is stored.
    package typealias Reply = UploadRecord

    package var upload: UploadRecord

    package init(_ upload: UploadRecord) { self.upload = upload }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let most = transaction.limits.uploadsMax
        guard try transaction.uploads.count() < most else { return .failure(.uploadsFull(most)) }
        try transaction.uploads.insert(upload)
        return .success(upload)
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) -> UploadCreation {
        var own = self
        own.upload.createdBy = tenant.storedText(upload.createdBy)
        return own
    }

    package func shown(_ reply: UploadRecord, to tenant: Tenant) -> UploadRecord { tenant.shown(reply) }
}

/// Removes an upload that no job uses.
///
/// Refused with `.missing`; `.uploadUsed` when a job uses it.
package struct UploadRemoval: RequestWrite {
    /// Nothing but the success.
    package typealias Reply = Void

    package var id: UploadID
    package var at: Timestamp

    package init(_ id: UploadID, at: Timestamp) {
        self.id = id
        self.at = at
    }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let rows = transaction.uploads
        guard let upload = try rows.upload(id), !upload.isOver(at: at) else { return .failure(.noUpload(id)) }
        guard !upload.isUsed, try rows.remove(id) else { return .failure(.uploadUsed(id)) }
        transaction.noteErasure()
        return .success(())
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) throws(JobStoreError) -> UploadRemoval {
        guard let upload = try reader.upload(id), tenant.ownsText(upload.createdBy) else {
            throw .noUpload(id)
        }
        return self
    }

    package func shown(_ reply: Void, to tenant: Tenant) {}
}
