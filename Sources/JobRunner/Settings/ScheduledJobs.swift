package import JobKit
package import JobSpec
package import JobStore

/// Makes what schedules need of jobs.
package struct ScheduledJobs: Sendable {
    /// The reason why a job cannot be made of a schedule.
    package struct NotMade: Error, Sendable {
        package var reason: Occurrence.Reason
        package var detail: String

        package init(_ detail: String, _ reason: Occurrence.Reason = .invalid) {
            self.reason = reason
            self.detail = detail
        }
    }

    /// Makes the job of a planned time, which is its tenant's and has what that has; a failure says why it cannot be
    /// made, and an error that the store did not tell, so that it may be made later.
    package typealias Maker =
        @Sendable (ScheduleSpec, Tenant?, _ scheduledFor: Timestamp, any JobReader) throws(JobStoreError)
        -> Result<NewJob, NotMade>

    package var make: Maker
    /// Makes the request to cancel a job that gives way to a new one of the schedule with this name.
    package var replacing: @Sendable (JobRecord, _ schedule: String) -> CancelRequest
    /// Called after planned times of the schedule with this name were settled. On any thread.
    package var settled: @Sendable (_ schedule: String, [Occurrence]) -> Void
    /// Called with jobs of a tenant that were made and not stored. On any thread.
    package var unmade: @Sendable ([JobID], Tenant) -> Void

    package init(
        make: @escaping Maker,
        replacing: @escaping @Sendable (JobRecord, String) -> CancelRequest,
        settled: @escaping @Sendable (String, [Occurrence]) -> Void = { _, _ in },
        unmade: @escaping @Sendable ([JobID], Tenant) -> Void = { _, _ in }
    ) {
        self.make = make
        self.replacing = replacing
        self.settled = settled
        self.unmade = unmade
    }
}
