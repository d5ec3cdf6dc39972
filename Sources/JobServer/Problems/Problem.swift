import HTTPMessage

/// The reason why a request failed, as problem details (RFC 9457).
struct Problem: Error, Sendable {
    /// The number of errors after which the readers of queries and command bodies record no more.
    static let itemsMax = 100

    var kind: ProblemKind
    /// The specifics of this occurrence and the remedy, for people.
    var detail: String
    /// A more specific code than the kind's.
    var code: String?
    /// The individual errors.
    var items: [Item] = []
    /// Further fields of the answer, such as `Allow` and `Retry-After`.
    var fields: [(name: String, value: String)] = []
    /// Further members of the body: the name, and the bytes of a JSON value.
    var members: [(name: String, value: [UInt8])] = []

    /// The answer to new jobs while the server is stopping.
    static var draining: Problem {
        Problem(.shuttingDown, "The server is stopping and takes no new jobs. Nothing was created.")
    }

    /// One error.
    struct Item: Sendable, Hashable {
        /// A JSON Pointer (RFC 6901) into the body, or the name of a query parameter.
        var pointer: String
        /// The stable dotted code.
        var code: String
        var detail: String
        /// The replacement to write, if known.
        var suggestion: String?
        /// All names or words that are possible there, if they are few.
        var allowed: [String] = []
    }

    init(_ kind: ProblemKind, _ detail: String, items: [Item] = []) {
        self.kind = kind
        self.detail = detail
        self.items = items
    }

    /// A copy with one more field in the answer.
    func field(_ name: String, _ value: String) -> Problem {
        var copy = self
        copy.fields.append((name, value))
        return copy
    }

    /// A copy with one more member in the body.
    func member(_ name: String, _ value: [UInt8]) -> Problem {
        var copy = self
        copy.members.append((name, value))
        return copy
    }

    /// The answer. `instance` is the requested path, if it could be parsed.
    func response(requestID: String, instance: ArraySlice<UInt8>?) -> HTTPResponse {
        PreparedProblem(self).response(requestID: requestID, instance: instance)
    }

    /// The problem as JSON, for an answer that covers several requests.
    func json(requestID: String) -> [UInt8] {
        PreparedProblem(self).body(requestID: requestID, instance: nil)
    }
}
