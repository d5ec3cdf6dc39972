internal import HTTPMessage
internal import JobKit

extension AOperationError {
    /// A call of a spec without a complete answer. Its remedy names the member of the spec.
    init(specCallFailure failure: HTTPCallFailure) {
        self.init(callFailure: failure, setBy: Self.members[failure.code].map { "The member is \($0)." })
    }

    private static let members = [
        "timeout.first_byte": "timeouts.first_byte", "timeout.stall": "timeouts.stall",
        "timeout.attempt": "timeouts.attempt", "body.too_large": "save.max_bytes",
        "body.encoding": "http.compression",
    ]
}
