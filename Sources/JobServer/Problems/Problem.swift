import HTTPMessage

/// The reason why a request failed, as problem details (RFC 9457).
struct Problem: Error, Sendable {
    /// The number of errors after which the readers of queries and command bodies record no more.
    static let itemsMax = 100

    var kind: ProblemKind
    /// The specifics of this occurrence and the remedy, for people.
    var detail: String
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
        /// The part of the request that is wrong.
        enum Place: Sendable, Hashable {
            /// A JSON Pointer (RFC 6901) into the body.
            case pointer(String)
            /// The name of a query parameter.
            case parameter(String)
            /// The name of a header field.
            case header(String)

            var text: String {
                switch self {
                case .pointer(let text), .parameter(let text), .header(let text): text
                }
            }

            /// The member that holds the text.
            var member: String {
                switch self {
                case .pointer: "pointer"
                case .parameter: "parameter"
                case .header: "header"
                }
            }
        }

        var place: Place
        /// The stable dotted code.
        var code: String
        var detail: String
        /// The replacement to write, if known.
        var suggestion: String?
        /// All names or words that are possible there, if they are few.
        var allowed: [String]

        init(
            _ place: Place, code: String, detail: String, suggestion: String? = nil, allowed: [String] = []
        ) {
            self.place = place
            self.code = code
            self.detail = detail
            self.suggestion = suggestion
            self.allowed = allowed
        }

        /// Makes a pointer one into a document that has the body at `pointer`.
        mutating func move(below pointer: String) {
            if case .pointer(let text) = place { place = .pointer(pointer + text) }
        }
    }

    init(_ kind: ProblemKind, _ detail: String, items: [Item] = []) {
        self.kind = kind
        self.detail = detail
        self.items = items
    }

    /// The problem of a header field.
    init(header name: String, _ detail: String) {
        self.init(
            .invalidHeader, detail, items: [Item(.header(name), code: "header.value", detail: detail)])
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
