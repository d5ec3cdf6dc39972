/// The reason why an engine cannot start with what its directory holds.
package struct EngineSetupError: Error, Sendable {
    /// The part that has to change before the next start.
    package enum Code: Sendable {
        /// The stored data, or the disk.
        case data
        /// A file that belongs to the data, such as the secret key.
        case configuration
    }

    package var code: Code
    /// The reason, with the remedy.
    package var detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
