/// A job that is over, as it stands in the store.
package final class EndedJob: Sendable {
    /// The job.
    package let record: JobRecord

    /// A job that is over.
    package init(_ record: JobRecord) { self.record = record }
}
