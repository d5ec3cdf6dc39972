/// A request method: a case-sensitive token (RFC 9110 §9.1).
public struct HTTPMethod: Sendable, Hashable, CustomStringConvertible {
    /// The token as received, such as `GET`.
    public let name: String

    /// A method of any name; nil when `name` is not a token (RFC 9110 §5.6.2).
    public init?(_ name: String) {
        guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenByte) else { return nil }
        self.name = name
    }

    init(token: String) {
        name = token
    }

    /// `GET`.
    public static let get = HTTPMethod(token: "GET")
    /// `HEAD`.
    public static let head = HTTPMethod(token: "HEAD")
    /// `POST`.
    public static let post = HTTPMethod(token: "POST")
    /// `PUT`.
    public static let put = HTTPMethod(token: "PUT")
    /// `DELETE`.
    public static let delete = HTTPMethod(token: "DELETE")
    /// `PATCH` (RFC 5789).
    public static let patch = HTTPMethod(token: "PATCH")
    /// `OPTIONS`.
    public static let options = HTTPMethod(token: "OPTIONS")
    /// `TRACE`.
    public static let trace = HTTPMethod(token: "TRACE")
    /// `CONNECT`.
    public static let connect = HTTPMethod(token: "CONNECT")

    /// Whether the method is safe (RFC 9110 §9.2.1): GET, HEAD, OPTIONS, TRACE.
    public var isSafe: Bool {
        switch name {
        case "GET", "HEAD", "OPTIONS", "TRACE": true
        default: false
        }
    }

    /// Whether the method is idempotent (RFC 9110 §9.2.2): the safe ones, PUT, DELETE.
    public var isIdempotent: Bool {
        isSafe || name == "PUT" || name == "DELETE"
    }

    /// The token.
    public var description: String { name }
}
