/// The upstream answered and is not done yet.
package struct NotYet: Error {
    /// The pause requested by the upstream, if any.
    var asked: Duration?
    /// The error when no polls are left.
    var error: AOperationError

    package init(asked: Duration? = nil, error: AOperationError) {
        self.asked = asked
        self.error = error
    }
}
