/// The contents of a backup.
package struct BackupSummary: Sendable, Hashable {
    /// The directory with the copy.
    package var path: String
    /// Bytes of the database.
    package var bytes = 0
    /// The number of jobs in it.
    package var jobs = 0
    /// The number of files with content.
    package var files = 0

    /// Nothing was copied yet.
    package init(path: String) { self.path = path }
}
