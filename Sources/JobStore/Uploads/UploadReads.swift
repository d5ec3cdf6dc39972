package import JobKit

package protocol UploadReads: Sendable {
    /// An upload; nil when there is none. One that is over may still be there.
    func upload(_ id: UploadID) throws(JobStoreError) -> UploadRecord?

    /// Up to `limit` (1…10,000) uploads before `id` (nil for all), the newest first.
    func uploads(before id: UploadID?, limit: Int) throws(JobStoreError) -> [UploadRecord]
}
