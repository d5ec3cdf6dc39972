/// The upstream answered and is not done yet.
package struct NotYet: Error {
    /// The pause that upstream asked for; nil when it did not.
    var asked: Duration?
    /// The error when no polls are left.
    var error: AOperationError

    package init(asked: Duration? = nil, error: AOperationError) {
        self.asked = asked
        self.error = error
    }
}
