/// How loud the log is.
enum LogLevel: String, Sendable, Hashable, CaseIterable, Comparable {
    /// One line for every request, too.
    case debug
    /// One line for every job that ended, and the life of the server.
    case info
    /// What a person should look at some time.
    case warning
    /// What a person should look at now.
    case error

    /// The louder level is less.
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
