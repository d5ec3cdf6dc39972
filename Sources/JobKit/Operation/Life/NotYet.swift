/// The upstream answered and is not done yet.
package struct NotYet: Error {
    /// The pause requested by the upstream, if any.
    var retryAfter: Duration?
    /// The error when no polls are left.
    var error: AOperationError

    package init(retryAfter: Duration? = nil, error: AOperationError) {
        self.retryAfter = retryAfter
        self.error = error
    }
}
