/// Backpressure of a consumer on the long content of responses.
package protocol Backpressure: Sendable {
    /// Whether long content has to wait. From any thread; quick.
    var isOn: Bool { get }

    /// Calls `then` once long content need not wait any more, at once if it need not now. On any thread.
    func whenOff(_ then: @escaping @Sendable () -> Void)
}
