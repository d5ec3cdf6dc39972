// region: log
import JobKit
import Logging

/// A logger as the destination of lines about operations.
struct SwiftLog: OperationLog {
    let logger: Logger

    func write(_ line: OperationLogLine) {
        let level: Logger.Level =
            switch line.severity {
            case .verbose: .debug
            case .notice: .notice
            case .info: .info
            case .warning: .warning
            case .fatal: .error
            }
        logger.log(
            level: level, "\(line.text)", metadata: ["operation": "\(line.path.joined(separator: "/"))"])
    }
}
// end
