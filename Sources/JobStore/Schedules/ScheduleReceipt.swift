package import JobKit

/// The effect of a change of a schedule.
package struct ScheduleReceipt: Sendable {
    package var record: ScheduleRecord
    /// The planned times that were settled, in order.
    package var occurrences: [Occurrence]
    /// Jobs in flight that gave way to new ones; they must be stopped.
    package var inFlight: [JobID]

    package init(record: ScheduleRecord, occurrences: [Occurrence], inFlight: [JobID] = []) {
        self.record = record
        self.occurrences = occurrences
        self.inFlight = inFlight
    }
}
