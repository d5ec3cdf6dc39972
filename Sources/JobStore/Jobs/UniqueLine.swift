package import JobKit

/// The unfinished jobs with a unique key that stand before another one.
package struct UniqueLine: Sendable, Hashable {
    /// The key.
    package var key: String
    /// The first of them, which has the key.
    package var holder: JobID
    /// Their number, the holder included; counted up to 10,000.
    package var ahead: Int

    /// A line.
    package init(key: String, holder: JobID, ahead: Int) {
        self.key = key
        self.holder = holder
        self.ahead = ahead
    }
}
