package import JobKit

/// The effect of a step of a bulk action.
package struct BulkReceipt: Sendable {
    /// The bulk action after the step.
    package var record: BulkRecord
    package var results: [BulkResult] = []
    /// The stops of runs and the messages to them; their runner must be told.
    package var requests: [RunRequest] = []

    private let code: @Sendable (JobStoreError) -> String

    package init(record: BulkRecord, of step: BulkStep) {
        self.record = record
        code = step.code
    }

    /// Notes the result of a verdict that changes nothing.
    package mutating func noteSkipped(_ id: JobID, code: String, detail: String) {
        results.append(BulkResult(id, .skipped, code: code, detail: detail))
    }

    package mutating func note(
        _ id: JobID, _ outcome: Result<CancelOutcome, JobStoreError>, of request: CancelRequest
    ) {
        switch outcome {
        case .success(.alreadyFinal(let job)): noteRefused(id, .over(job.state))
        case .success(.cancelled): results.append(BulkResult(id, .done))
        case .success(.cancelling):
            requests.append(RunRequest(request))
            results.append(BulkResult(id, .done))
        case .failure(let error): noteRefused(id, error)
        }
    }

    package mutating func note(
        _ id: JobID, _ outcome: Result<PostReceipt, JobStoreError>, of post: JobPost
    ) {
        switch outcome {
        case .success(let receipt):
            if receipt.isRunning {
                requests.append(RunRequest(id: id, journal: post.journal, number: receipt.number))
            }
            results.append(BulkResult(id, .done))
        case .failure(let error): noteRefused(id, error)
        }
    }

    /// Notes the submission of a new job.
    package mutating func note(_ id: JobID, _ outcome: Result<SubmitOutcome, JobStoreError>) {
        switch outcome {
        case .success(.created(let job)): results.append(BulkResult(id, .done, made: job.id))
        case .success(.replacing(let job, let stopping)):
            requests += stopping
            results.append(BulkResult(id, .done, made: job.id))
        case .success(.joined(let job)), .success(.replayed(let job)):
            noteSkipped(id, code: "unique.joined", detail: "\(job.id) has its unique key.")
        case .success(.replayedGone(let other)), .success(.keyReused(let other)):
            noteSkipped(id, code: "unique.joined", detail: "\(other) was made of it before.")
        case .failure(let error): noteRefused(id, error)
        }
    }

    /// Notes the end of a change without further effects.
    package mutating func note(_ id: JobID, error: JobStoreError?) {
        if let error { return noteRefused(id, error) }
        results.append(BulkResult(id, .done))
    }

    private mutating func noteRefused(_ id: JobID, _ error: JobStoreError) {
        let outcome: BulkResult.Outcome =
            switch error.code {
            case .missing(.job), .wrongState, .uniqueTaken: .skipped
            default: .failed
            }
        results.append(BulkResult(id, outcome, code: code(error), detail: error.detail))
    }
}

/// The result of a bulk action for one job.
package struct BulkResult: Sendable, Hashable {
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        case done = "succeeded"
        /// The job's state, or its absence, leaves nothing to do.
        case skipped
        case failed
    }

    package var job: JobID
    package var outcome: Outcome
    /// The reason for an outcome other than `done`, as a dotted code.
    package var code: String?
    /// The same in words.
    package var detail: String?
    /// The new job that was made of it.
    package var made: JobID?

    package init(
        _ job: JobID, _ outcome: Outcome, code: String? = nil, detail: String? = nil, made: JobID? = nil
    ) {
        self.job = job
        self.outcome = outcome
        self.code = code
        self.detail = detail
        self.made = made
    }
}
