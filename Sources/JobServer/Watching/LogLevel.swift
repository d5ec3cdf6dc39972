/// The severity of a log line.
enum LogLevel: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Requests, too.
    case debug
    /// Ended jobs, and the start and stop of the server.
    case info
    /// Conditions to look at some time.
    case warning
    /// Conditions to look at now.
    case error

    static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}
