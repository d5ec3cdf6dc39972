package import StrictJSON

/// A request that came to the callback URL of an operation and ends its wait.
package struct JobReport: Sendable, Hashable {
    /// The wait that it is for.
    package var place: CallbackPlace
    /// The failure by which it ends the wait; nil when it completes it.
    package var failure: Failure?
    /// The request, as the result of the operation.
    package var content: OperationResult

    /// A failure that the sender reports.
    package struct Failure: Sendable, Hashable {
        /// The sender's code.
        package var code: String
        /// The sender's text.
        package var detail: String?

        package init(code: String, detail: String?) {
            self.code = code
            self.detail = detail
        }
    }

    package init(place: CallbackPlace, failure: Failure? = nil, content: OperationResult) {
        self.place = place
        self.failure = failure
        self.content = content
    }
}

/// The wait that a callback URL is for.
package struct CallbackPlace: Sendable, Hashable {
    /// The operation that waits: the names below the root.
    package var path: [String]
    /// The number of the retries of the job before the URL was made: an operation that begins anew has another URL.
    package var round: Int

    package init(path: [String], round: Int) {
        self.path = path
        self.round = round
    }

    /// Equal when the bytes are.
    package static func == (left: CallbackPlace, right: CallbackPlace) -> Bool {
        left.round == right.round && left.path.elementsEqual(right.path) { $0.hasSameBytes(as: $1) }
    }
}

extension OperationResult {
    /// About the size of what is kept with the job itself, in bytes.
    package var storedCount: Int {
        body.count + headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }

    /// The fields in which the result of a received request has its method and its query, as JSON. Fields of HTTP have
    /// no such names.
    package static let methodField = ":method"
    /// See `methodField`.
    package static let queryField = ":query"

    /// The result of a request that was received.
    package init(
        method: String, query: JSONObject, headers: [Header], contentType: String?, body: [UInt8]
    ) {
        let own = [
            Header(name: Self.methodField, value: method),
            Header(
                name: Self.queryField,
                value: String(decoding: JSONValue.object(query).encoded(), as: UTF8.self)),
        ]
        self.init(status: nil, headers: own + headers, contentType: contentType, body: body)
    }

    /// The members `method` and `query` of the document of a received request; empty for other results.
    var receivedMembers: [JSONObject.Member] {
        guard let first = headers.first, first.name.hasSameBytes(as: Self.methodField) else { return [] }
        let query = headers.dropFirst().first.flatMap { try? JSONParser.parse(Array($0.value.utf8)) }
        return [
            .init(name: "method", value: .string(first.value)),
            .init(name: "query", value: query ?? .object(JSONObject(uniqueMembers: []))),
        ]
    }
}
