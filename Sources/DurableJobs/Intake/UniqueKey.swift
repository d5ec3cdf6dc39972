package import JobKit
package import JobRunner
import JobSpec
package import JobStore
import OpenSSLCrypto

/// The unique key of a job, which one unfinished job holds at a time.
package enum UniqueKey {
    /// The claim of a new job's unique key, which `by` submits.
    static func claim(_ unique: JobSpec.Unique, of job: JobRecord, by: String) -> UniqueClaim {
        let (id, at) = (job.id, job.createdAt)
        return UniqueClaim(
            key: unique.key, onConflict: unique.onConflict,
            stopping: { other in
                CancelRequest(
                    of: other, by: by, reason: "Job \(id) took its unique key.", at: at,
                    code: .cancelledReplaced)
            })
    }

    /// Stops the runs of jobs that a new holder of their unique key replaced. From any thread.
    package static func stopReplaced(
        by outcome: Result<SubmitOutcome, JobStoreError>, _ engine: any RunControl
    ) {
        guard case .success(.replacing(_, let stopping)) = outcome else { return }
        engine.take(stopping)
    }
}

extension IdempotencyClaim {
    /// The maximum length of a key, in bytes.
    package static let bytesMax = 255
    /// The retention of a key.
    package static let keep = Duration.seconds(86_400)

    /// Whether this is a key: 1 to 255 printable ASCII characters without quotes.
    package static func isKey(_ text: some Collection<UInt8>) -> Bool {
        (1...bytesMax).contains(text.count)
            && text.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 }
    }

    /// The claim of a request that a submitter makes now.
    /// - Parameter request: the parts of the request that a repetition has in common with it.
    package init(key: String, of submitter: String, for request: [[UInt8]], now: Timestamp) {
        self.init(
            key: submitter + "\u{0}" + key, fingerprint: SHA256.digest(of: request),
            expiresAt: now.advanced(by: Self.keep))
    }
}
