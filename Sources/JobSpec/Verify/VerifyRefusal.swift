/// The reason why a request from outside is not its sender's. Says nothing that the sender does not know.
package struct VerifyRefusal: Error, Sendable, Hashable {
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The field that identifies the sender is not there.
        case missing = "signature_missing"
        /// It is there several times, or cannot be read.
        case malformed = "signature_malformed"
        /// It is not that of any key.
        case wrong = "signature_wrong"
        /// The signed time is too long ago.
        case old = "time_old"
        /// The signed time is too far ahead.
        case future = "time_future"
        /// No secret with a key exists here, which the sender cannot help.
        case noKey = "key_missing"
    }

    package var code: Code
    /// One sentence.
    package var detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
