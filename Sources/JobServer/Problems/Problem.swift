import HTTPMessage

/// Why a request was not fulfilled, as RFC 9457 says it.
struct Problem: Error, Sendable {
    /// Which kind.
    var kind: ProblemKind
    /// What happened this time and what to do, for people.
    var detail: String
    /// A more special code than the kind's.
    var code: String?
    /// Each single thing that is wrong.
    var items: [Item] = []
    /// Further fields of the answer, such as `Allow` and `Retry-After`.
    var fields: [(name: String, value: String)] = []
    /// Further members of the body: the name, and the bytes of a JSON value.
    var members: [(name: String, value: [UInt8])] = []

    /// The answer to new jobs once the server has begun to stop.
    static var draining: Problem {
        Problem(.shuttingDown, "The server is stopping and takes no new jobs. Nothing was created.")
    }

    /// One thing that is wrong.
    struct Item: Sendable, Hashable {
        /// Where: a JSON Pointer (RFC 6901) into the body, or the name of a query parameter.
        var pointer: String
        /// The stable dotted code.
        var code: String
        /// What is wrong.
        var detail: String
        /// What to write instead, when that is known.
        var suggestion: String?
    }

    /// A problem.
    init(_ kind: ProblemKind, _ detail: String, items: [Item] = []) {
        self.kind = kind
        self.detail = detail
        self.items = items
    }

    /// The same with one more field in the answer.
    func field(_ name: String, _ value: String) -> Problem {
        var copy = self
        copy.fields.append((name, value))
        return copy
    }

    /// The same with one more member in the body.
    func member(_ name: String, _ value: [UInt8]) -> Problem {
        var copy = self
        copy.members.append((name, value))
        return copy
    }

    /// The answer. `instance` is the path that was asked for, when that could be read.
    func response(requestID: String, instance: ArraySlice<UInt8>?) -> HTTPResponse {
        PreparedProblem(self).response(requestID: requestID, instance: instance)
    }

    /// The problem as JSON, for an answer that is about several requests at once.
    func json(requestID: String) -> [UInt8] {
        PreparedProblem(self).body(requestID: requestID, instance: nil)
    }
}
