/// A matcher of errors for a retry policy: by code, by family of codes, by status, or by class of statuses.
public enum RetryMatcher: Sendable, Hashable, CustomStringConvertible {
    /// Errors of exactly this code, such as `connect.refused`.
    case code(ErrorCode)
    /// Errors of a family, such as `connect`; written `connect.*`.
    case family(String)
    /// Errors that come from an answer with this status, 100…999.
    case status(Int)
    /// Errors that come from an answer with a status of this class, 1…5; written `5xx`, which also means all above.
    case statusClass(Int)

    /// Reads one of the forms `connect.refused`, `connect.*`, `503` and `5xx`; nil for anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        if bytes.count == 3, let first = bytes.first, (0x31...0x39).contains(first) {
            if first <= 0x35, bytes[1...] == Array("xx".utf8)[...] {
                self = .statusClass(Int(first - 0x30))
                return
            }
            guard let status = Int(text) else { return nil }
            self = .status(status)
            return
        }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isWord(parts[0]) else { return nil }
        if parts[1] == "*" {
            self = .family(String(parts[0]))
        } else if Self.isWord(parts[1]) {
            self = .code(ErrorCode(text))
        } else {
            return nil
        }
    }

    /// Whether it means this error.
    public func matches(_ error: AOperationError) -> Bool {
        switch self {
        case .code(let code): error.code == code
        case .family(let family): error.code.family == family
        case .status(let status): error.upstream?.status == status
        case .statusClass(let number): error.upstream.map { min($0.status / 100, 5) == number } ?? false
        }
    }

    /// The form in a spec.
    public var description: String {
        switch self {
        case .code(let code): code.description
        case .family(let family): family + ".*"
        case .status(let status): String(status)
        case .statusClass(let number): "\(number)xx"
        }
    }

    private static func isWord(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.count <= 60
            && text.utf8.allSatisfy { $0 &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x5F }
    }
}
