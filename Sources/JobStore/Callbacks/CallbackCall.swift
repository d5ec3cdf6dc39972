package import JobKit

/// A request that came to the callback URL of a job.
package struct CallbackCall: Sendable {
    package var id: JobID
    package var place: CallbackPlace
    package var at: Timestamp
    /// The retries of the job, as the caller has seen it.
    package var retries: Int
    /// The address that it came from.
    package var address: String?
    /// Whether the wait has ended, as the caller has seen it.
    package var isOver = false
    package var content: Content

    /// The content of a request.
    package enum Content: Sendable {
        /// It ends the wait: the report, the digest of the body, and a body that is too large for the job itself.
        case report(JobReport, by: String, digest: [UInt8], UploadRecord?)
        /// A sign of life, with the progress as JSON or without.
        case heartbeat(progress: [UInt8]?)
        /// It changes nothing: the status of the answer, and the reason.
        case noted(status: Int, reason: String)
    }

    package init(
        _ id: JobID, _ place: CallbackPlace, at: Timestamp, retries: Int = 0, address: String? = nil,
        content: Content
    ) {
        self.id = id
        self.place = place
        self.at = at
        self.retries = retries
        self.address = address
        self.content = content
    }
}

/// The effect of a request to a callback URL.
package enum CallbackOutcome: Sendable {
    /// It ended the wait.
    case taken(PostReceipt)
    /// The same body ended the wait before.
    case repeated
    /// Another body ended the wait before.
    case conflict
    /// The wait ended without a report.
    case over
    /// It was noted.
    case noted
    /// The job was retried since the caller has seen it: nothing was done, and the caller looks again.
    case moved
}
