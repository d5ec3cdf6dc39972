/// Fetches content into a file, and goes on where it was when the connection or the server breaks off.
public struct DownloadSpec: Sendable, Hashable {
    /// The attempt clock of a download that is given none: 366 days. What hangs is found by `stall`.
    static let attemptTimeout = Duration.seconds(366 * 86_400)

    /// What is fetched, and where it goes.
    public var call: NetworkSpec
    /// Whether a later attempt goes on where an earlier one ended. Default true.
    public var resumes = true
    /// What the content must be.
    public var verify = Verification()

    /// A download of `call`.
    public init(call: NetworkSpec) { self.call = call }

    /// What the content must be; nil is whatever it is.
    public struct Verification: Sendable, Hashable {
        /// Its SHA-256, 64 hexadecimal digits.
        public var sha256: Binding?
        /// Its length in bytes.
        public var size: Int?
        /// Its media type, compared without parameters.
        public var contentType: String?

        /// Anything.
        public init() {}
    }
}
