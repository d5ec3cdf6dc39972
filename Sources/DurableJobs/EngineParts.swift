package import JobKit
package import JobRunner
package import JobStore

/// The parts of an engine that its host chooses.
package struct EngineParts: Sendable {
    /// The store of the jobs.
    package var store: any JobStore
    /// The settings in that store.
    package var settings: StoredSettings
    /// Reads the specs of new jobs.
    package let intake: Intake
    /// The transport of calls; nil is libcurl on the loop of the engine.
    package var transport: (any Transport)?
    /// The limits and observers of the runner. The engine adds what it has itself: kinds, secrets, connections, limits
    /// of hosts, digests and schedules.
    package var runner = RunnerSettings()
    /// Called after planned times of the schedule with this name were settled. On any thread.
    package var settled: @Sendable (_ schedule: String, [Occurrence]) -> Void = { _, _ in }
    /// Decides about a job that a schedule of a tenant makes now; an error says why it is not made. On any thread.
    package var admit: @Sendable (_ job: JobID, Tenant, _ now: Timestamp) -> JobStoreError? = { _, _, _ in nil
    }
    /// Called with jobs of a tenant that were admitted and not stored. On any thread.
    package var unmade: @Sendable ([JobID], Tenant) -> Void = { _, _ in }
    /// Called for every job that ends in a run.
    package var ended: @Sendable (JobOutcome) -> Void = { _ in }
    /// Called when the store refuses something.
    package var trouble: @Sendable (EngineTrouble) -> Void = { _ in }

    package init(store: any JobStore, settings: StoredSettings, intake: Intake) {
        self.store = store
        self.settings = settings
        self.intake = intake
    }
}
