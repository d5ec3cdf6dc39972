/// The contents of a backup.
package struct BackupSummary: Sendable, Hashable {
    /// The directory with the copy.
    package var path: String
    /// The size of the database.
    package var bytes = 0
    /// The number of jobs.
    package var jobs = 0
    /// The number of content files.
    package var files = 0

    package init(path: String) { self.path = path }
}
