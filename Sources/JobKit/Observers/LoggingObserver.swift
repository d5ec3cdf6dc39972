/// The severity of a line of the log.
public enum LogSeverity: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Each step of an operation.
    case verbose
    /// Requests of people, such as a cancellation.
    case notice
    /// Starts and successful ends.
    case info
    /// Failed attempts and hooks.
    case warning
    /// Failed operations.
    case fatal

    /// Orders by severity, the lowest first.
    public static func < (one: LogSeverity, other: LogSeverity) -> Bool { one.rawValue < other.rawValue }
}

/// The destination of an observer's lines.
public protocol OperationLog: Sendable {
    /// Writes a line. Called one at a time per operation; must not block.
    func write(_ line: OperationLogLine)
}

/// One line about an operation.
public struct OperationLogLine: Sendable, Hashable {
    /// The severity of the line.
    public let severity: LogSeverity
    /// The time of the event.
    public let at: Timestamp
    /// The path of the operation: the names below the root, or its name without a group.
    public let path: [String]
    /// The event's position among those of the operation.
    public let sequence: Int
    /// The text of the event.
    public let text: String
}

/// Logs the events of an operation and of all operations that it creates.
public struct LoggingObserver: OperationObserver {
    private let log: any OperationLog
    private let severity: LogSeverity

    /// - Parameters:
    ///   - log: where the lines go.
    ///   - severity: lines that matter less are left out; default `info`.
    public init(to log: any OperationLog, severity: LogSeverity = .info) {
        self.log = log
        self.severity = severity
    }

    /// Itself: whole trees are logged.
    public func observer(ofChild child: OperationInfo, of parent: OperationInfo) -> (
        any OperationObserver
    )? {
        self
    }

    /// Writes a line, when it matters enough.
    public func operation(_ operation: OperationInfo, did event: OperationEvent) {
        let (severity, text) = Self.words(event.kind)
        guard severity >= self.severity else { return }
        log.write(
            OperationLogLine(
                severity: severity, at: event.at,
                path: operation.path.isEmpty ? [operation.name] : operation.path, sequence: event.sequence,
                text: text))
    }

    private static func words(_ kind: OperationEvent.Kind) -> (LogSeverity, String) {
        switch kind {
        case .submitted: (.verbose, "submitted")
        case .waiting(let obstacle): (.verbose, "waits for \(words(obstacle))")
        case .inputReady: (.verbose, "input ready")
        case .willExecute: (.verbose, "will execute")
        case .started: (.info, "started")
        case .attemptStarted(let number): (.verbose, "attempt \(number) started")
        case .progress(let progress): (.verbose, words(progress))
        case .produced(let child): (.info, "produced \(child.name)")
        case .attemptFailed(let number, let error, let delay):
            (.warning, "attempt \(number) failed, next in \(delay): \(error.code) \(error.detail)")
        case .cancelRequested(let reason): (.notice, "asked to stop" + (reason.map { ": \($0)" } ?? ""))
        case .willFinish: (.verbose, "will finish")
        case .hookFailed(let error): (.warning, "\(error.code) \(error.detail)")
        case .finished(let ending): words(ending)
        }
    }

    private static func words(_ obstacle: OperationEvent.Obstacle) -> String {
        switch obstacle {
        case .dependencies(let names), .conditions(let names): names.joined(separator: ", ")
        case .wait(let wait): wait.name
        }
    }

    private static func words(_ progress: OperationProgress) -> String {
        let total = progress.total.map { " of \($0)" } ?? ""
        return "progress \(progress.completed)\(total)" + (progress.text.map { ": \($0)" } ?? "")
    }

    private static func words(_ ending: OperationEnding) -> (LogSeverity, String) {
        let errors = ending.errors.map { "\($0.code) \($0.detail)" }.joined(separator: "; ")
        let text = errors.isEmpty ? ending.state.rawValue : "\(ending.state.rawValue): \(errors)"
        let isDefect = ending.errors.contains { $0.code == .unexpected }
        return (isDefect ? .fatal : ending.state == .failed ? .warning : .info, text)
    }
}
