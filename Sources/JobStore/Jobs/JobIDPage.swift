package import JobKit

/// A part of the ids that a list has.
package struct JobIDPage: Sendable {
    package var ids: [JobID]
    /// The position after which the next part begins; nil when there are no more.
    package var next: JobPage.Place?

    package init(ids: [JobID], next: JobPage.Place?) {
        self.ids = ids
        self.next = next
    }
}
