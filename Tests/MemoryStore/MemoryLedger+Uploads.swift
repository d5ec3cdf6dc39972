import JobKit
import JobStore

extension MemoryLedger {
    func upload(_ id: UploadID) -> UploadRecord? {
        var upload = uploads[id]
        upload?.isUsed = uploadUses[id] != nil
        return upload
    }

    mutating func releaseUploads(by job: JobID) {
        for (id, var users) in uploadUses where users.contains(job) {
            users.remove(job)
            uploadUses[id] = users.isEmpty ? nil : users
        }
    }
}
