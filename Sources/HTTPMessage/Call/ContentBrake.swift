/// Holds long content back while those who take it cannot keep up.
package protocol ContentBrake: Sendable {
    /// Whether long content has to wait. From any thread; quick.
    var isOn: Bool { get }

    /// Calls `then` once content need not wait any more, at once if it need not now. On any thread.
    func whenOff(_ then: @escaping @Sendable () -> Void)
}
