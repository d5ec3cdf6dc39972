/// The settings of the page in a browser: its mode and its files.
struct PageSettings: Sendable, Hashable {
    /// The permitted use of the page.
    enum Mode: String, Sendable, Hashable, CaseIterable {
        /// The page shows and changes jobs.
        case full
        /// The page only shows: the server refuses its requests to change something.
        case read
        /// The page is not served.
        case off
    }

    /// The mode. Default `full`.
    var mode = Mode.full
    /// A folder whose files are read at each request; nil uses the embedded ones.
    var directory: String?
}
