internal import HTTPMessage
internal import JobKit

extension AOperationError {
    /// Content that does not decode as `type`. Not retryable: the same content would come again.
    init(unreadable error: DecodingError, in answer: HTTPCallAnswer, to call: HTTPCall, as type: Any.Type) {
        let (place, words) = error.placeAndWords
        self.init(
            "body.unreadable", title: "The content does not have the expected form",
            detail:
                "\(call.method) \(call.url) was answered with content that is no \(type)\(place): \(words)",
            answer: answer)
        publishedError = PublishedError(domain: "\(DecodingError.self)", code: 0, description: words)
        underlying = error
    }
}

extension DecodingError {
    /// The place in the content, as ` at /items/0/name`, and the fault there.
    fileprivate var placeAndWords: (place: String, words: String) {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            (Self.place(context.codingPath), context.debugDescription)
        case .keyNotFound(let key, let context):
            (Self.place(context.codingPath), "it has no member \"\(key.stringValue)\".")
        @unknown default: ("", "\(self)")
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        path.isEmpty
            ? ""
            : " at /" + path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
    }
}
