import HTTPMessage

/// Calls for tests.
enum HTTPCallSample {
    /// A call that carries credentials in many places.
    static let payment = HTTPCall(
        method: "POST", url: "https://bank.example/pay",
        fields: [
            ("Authorization", "Bearer s3cret"), ("Cookie", "id=s3cret"), ("X-Api-Key", "s3cret"),
            ("X-Signature", "s3cret"), ("Idempotency-Key", "k1"), ("Accept", "*/*"),
        ], body: Array(#"{"amount":7}"#.utf8))
}
