import JobKit
import JobStore

/// The uploads of a ledger in a transaction.
struct MemoryUploads: UploadRows {
    let transaction: MemoryTransaction

    func count() -> Int { transaction.ledger.uploads.count }

    func refusal(of new: NewJob) -> JobStoreError? { transaction.ledger.refusal(ofUploads: new) }

    func insert(_ upload: UploadRecord) { transaction.ledger.uploads[upload.id] = upload }

    func upload(_ id: UploadID) -> UploadRecord? { transaction.ledger.upload(id) }

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
