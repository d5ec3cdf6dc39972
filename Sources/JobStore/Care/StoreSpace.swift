/// The disk of a store on this machine, and what the store takes of it. All in bytes.
package struct StoreSpace: Sendable, Hashable {
    package var freeBytes: Int
    /// The part of `freeBytes` that content and new jobs leave free.
    package var reserveBytes: Int
    /// The database and its log; nil when they are elsewhere.
    package var databaseBytes: Int?
    package var logBytes: Int?
    /// Finished content.
    package var contentBytes = 0
    /// Content that is being written, or that a later attempt resumes.
    package var unfinishedBytes = 0

    package init(freeBytes: Int, reserveBytes: Int) {
        self.freeBytes = freeBytes
        self.reserveBytes = reserveBytes
    }
}
