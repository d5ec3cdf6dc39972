package import JobKit

/// What the door may ask of the engine while jobs run.
package protocol JobEngine: Sendable {
    /// Stops the run of a job whose state has become `cancelling`; nothing happens when it is not running here.
    /// Returns at once; the job's state tells when the run has stopped. From any thread.
    func stopRun(of id: JobID)

    /// How many jobs are running here at this moment.
    var runningCount: Int { get }
}
