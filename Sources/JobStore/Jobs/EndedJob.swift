/// A final job as it is stored. A class, so that handing it on copies one reference.
package final class EndedJob: Sendable {
    /// The job.
    package let record: JobRecord

    /// A final job.
    package init(_ record: JobRecord) { self.record = record }
}
