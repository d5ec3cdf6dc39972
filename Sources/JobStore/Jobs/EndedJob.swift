/// A final job. A class, so that passing it on copies one reference.
package final class EndedJob: Sendable {
    package let record: JobRecord

    package init(_ record: JobRecord) { self.record = record }
}
