import JobKit
import JobStore

extension MemoryLedger {
    func upload(_ id: UploadID) -> UploadRecord? {
        var upload = uploads[id]
        upload?.isUsed = uploadUses[id] != nil
        return upload
    }

    func refusal(ofUploads new: NewJob) -> JobStoreError? {
        for id in new.uploads {
            guard let upload = upload(id) else { return .noUpload(id) }
            if let refusal = upload.refusal(for: new.record) { return refusal }
        }
        return nil
    }

    mutating func releaseUploads(by job: JobID) {
        for (id, var users) in uploadUses where users.contains(job) {
            users.remove(job)
            uploadUses[id] = users.isEmpty ? nil : users
        }
    }
}
