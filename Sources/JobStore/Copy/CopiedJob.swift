package import JobKit

/// A job with what engines keep beside its row.
package struct CopiedJob: Sendable {
    package var job: StoredJob
    package var spec: [UInt8]
    /// The range of the metadata in the spec; see `NewJob.metadataPlace`.
    package var metadataPlace: Range<Int>?
    package var result: OperationResult?
    /// The number of the last entry of its journal.
    package var journalEnd: Int64
    /// Whether it is suspended in a line for an exclusive key.
    package var waitsForKey: Bool

    package init(
        _ job: StoredJob, spec: [UInt8], metadataPlace: Int64?, result: OperationResult?, journalEnd: Int64,
        waitsForKey: Bool
    ) {
        self.job = job
        self.spec = spec
        self.metadataPlace = metadataPlace.map { place in
            let start = Int(place >> 32)
            return start..<start + Int(place & 0xFFFF_FFFF)
        }
        self.result = result
        self.journalEnd = journalEnd
        self.waitsForKey = waitsForKey
    }

    /// The space that it takes, roughly.
    var byteCount: Int { 512 + spec.count + (result?.body.count ?? 0) }
}
