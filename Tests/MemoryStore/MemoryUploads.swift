import JobKit
import JobStore
import StrictJSON

/// The uploads of a ledger in a transaction.
struct MemoryUploads: UploadRows {
    let transaction: MemoryTransaction

    func count() -> Int { transaction.ledger.uploads.count }

    func refusal(of new: NewJob) -> JobStoreError? { transaction.ledger.refusal(ofUploads: new) }

    func insert(_ upload: UploadRecord) { transaction.ledger.uploads[upload.id] = upload }

    func upload(_ id: UploadID) -> UploadRecord? { transaction.ledger.upload(id) }

    func keep(_ ids: [UploadID], for job: StoredJob) {
        for id in ids { transaction.ledger.uploadUses[id, default: []].insert(job.record.id) }
    }

    func remove(_ id: UploadID) -> Bool {
        guard transaction.ledger.uploadUses[id] == nil else { return false }
        transaction.ledger.uploads[id] = nil
        return true
    }

    func remove(before time: Timestamp, limit: Int) -> Int {
        let old = transaction.ledger.uploads.values.filter { $0.expiresAt < time }.map(\.id).sorted()
        return old.filter { transaction.ledger.uploadUses[$0] == nil }.prefix(limit).count { remove($0) }
    }
}

/// The requests to callback URLs, in a transaction.
struct MemoryStandings: StandingRows {
    let transaction: MemoryTransaction

    func standing(_ name: String, of job: StoredJob) -> [UInt8]? {
        transaction.ledger.standings[job.record.id]?[ByteKey(name)]
    }

    func put(_ bytes: [UInt8], as name: String, of job: StoredJob) {
        transaction.ledger.standings[job.record.id, default: [:]][ByteKey(name)] = bytes
    }
}
