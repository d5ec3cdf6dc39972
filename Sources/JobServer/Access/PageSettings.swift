/// What the page in a browser may do, and where its files are.
struct PageSettings: Sendable, Hashable {
    /// How much of it there is.
    enum Mode: String, Sendable, Hashable, CaseIterable {
        /// All of it.
        case full
        /// It shows, and changes nothing: the server refuses what a page sends to change something.
        case read
        /// There is none.
        case off
    }

    /// How much of it there is. Default all.
    var mode = Mode.full
    /// A folder to read its files from at each request; nil takes those that the program carries.
    var directory: String?
}
